"""Which tokens of a C++ source come from an interface for parallel programs: the table of interfaces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from thalweg_cli.cpp.tokens import Kind, Token, words


@dataclass(frozen=True)
class Interface:
    """How the tokens of an interface are known."""

    name: str
    namespaces: frozenset[str] = frozenset()
    """All names behind these and `::`; and these names themselves."""
    names: frozenset[str] = frozenset()
    """Names that need no namespace, or are those of `std::` if `is_standard`, or follow a using-directive."""
    prefixes: tuple[str, ...] = ()
    """Beginnings of names that need no namespace."""
    members: frozenset[str] = frozenset()
    """Names behind `.` and `->`, of functions and options; only in a source that has one of the above."""
    hooks: frozenset[str] = frozenset()
    """Names that a program defines or inherits; only in a source that has one of the above."""
    pragmas: frozenset[str] = frozenset()
    """The first word of its pragmas. Directives and clauses are its tokens, too."""
    pragma_arguments: frozenset[str] = field(default=frozenset())
    """Words of its own that stand in the parentheses of a clause."""
    clauses: frozenset[str] = frozenset()
    """Other namespaces of clauses in its attributes, which count as its own there."""
    is_standard: bool = False


INTERFACES = (
    Interface(
        "thalweg",
        namespaces=words("thalweg"),
        names=words(
            "any_pipeline any_policy batch emitter farm filter flat_map graph iterate key_by launch map "
            "merge mpi omp options per_replica pool reduce report run sequential sink source stage tbb "
            "threads window"
        ),
        members=words(
            "add capacity cancel connect in input on_error out pin replicas send set_replicas stats stop "
            "unordered wait workers"
        ),
        hooks=words("on_end on_item on_start"),
    ),
    Interface(
        "tbb",
        namespaces=words("tbb oneapi"),
        names=words(
            "blocked_range concurrent_bounded_queue concurrent_hash_map concurrent_queue concurrent_vector "
            "enumerable_thread_specific filter filter_mode flow flow_control global_control make_filter "
            "parallel_for parallel_for_each parallel_invoke parallel_pipeline parallel_reduce parallel_scan "
            "parallel_sort task_arena task_group"
        ),
        members=words(
            "activate decrementer execute release_wait reserve_wait run run_and_wait stop try_get try_pop "
            "try_put wait wait_for_all"
        ),
    ),
    Interface(
        "openmp",
        prefixes=("omp_",),
        pragmas=words("omp"),
        pragma_arguments=words(
            "alloc always auto cancel close concurrent conditional delete depobj dynamic firstprivate from "
            "guided in inout inoutset master monotonic mutexinoutset none nonmonotonic out primary private "
            "release runtime seq_cst shared simd sink source spread static target task teams to tofrom"
        ),
    ),
    Interface(
        "threads",
        names=words(
            "adopt_lock async atomic atomic_bool atomic_flag atomic_int atomic_ref atomic_signal_fence "
            "atomic_size_t atomic_thread_fence barrier binary_semaphore call_once condition_variable "
            "condition_variable_any counting_semaphore cv_status defer_lock execution future future_status "
            "jthread latch launch lock_guard memory_order memory_order_acq_rel memory_order_acquire "
            "memory_order_relaxed memory_order_release memory_order_seq_cst mutex once_flag packaged_task "
            "promise recursive_mutex scoped_lock shared_future shared_lock shared_mutex shared_timed_mutex "
            "stop_callback stop_source stop_token this_thread thread timed_mutex try_to_lock unique_lock"
        ),
        prefixes=("pthread_",),
        members=words(
            "arrive arrive_and_drop arrive_and_wait compare_exchange_strong compare_exchange_weak "
            "count_down detach fetch_add fetch_and fetch_or fetch_sub fetch_xor get_future "
            "hardware_concurrency join joinable load lock lock_shared notify_all notify_one request_stop "
            "set_exception set_value stop_requested store test_and_set try_acquire try_lock unlock "
            "unlock_shared wait wait_for wait_until"
        ),
        is_standard=True,
    ),
    Interface(
        "spbench queue",
        names=words("SharedQueue queue_order"),
        members=words("close dequeue enqueue"),
    ),
    Interface(
        "fastflow",
        namespaces=words("ff"),
        prefixes=("ff_",),
        members=words(
            "add_collector add_emitter add_firstset add_secondset add_stage add_workers blocking_mode "
            "cleanup_all cleanup_workers createGroup ffTime getlb getgt no_barrier no_mapping "
            "offload remove_collector run run_and_wait_end run_then_freeze setFixedSize "
            "setXNodeInputQueueLength setXNodeOutputQueueLength set_scheduling_ondemand wait "
            "wait_freezing wrap_around"
        ),
        hooks=words(
            "BLK EOS EOSW GO_ON GO_OUT NBLK eosnotify get_my_id get_num_inchannels get_num_outchannels svc "
            "svc_end svc_init"
        ),
    ),
    Interface(
        "grppi",
        namespaces=words("grppi"),
        names=words(
            "discard divide_conquer dynamic_execution farm iterate_until keep map_reduce "
            "parallel_execution_ff parallel_execution_native parallel_execution_omp parallel_execution_tbb "
            "pipeline repeat_until sequential_execution stencil window"
        ),
        members=words(
            "disable_ordering enable_ordering is_ordered register_thread set_concurrency_degree "
            "set_queue_attributes"
        ),
    ),
    Interface(
        "taskflow",
        namespaces=words("tf"),
        names=words(
            "Executor FlowBuilder Pipe PipeType Pipeflow Pipeline Runtime ScalablePipeline Semaphore "
            "Subflow Task Taskflow"
        ),
        members=words(
            "acquire async composed_of corun emplace for_each for_each_index line name num_lines num_pipes "
            "num_tokens pipe placeholder precede reduce run run_n run_until silent_async stop succeed token "
            "transform wait wait_for_all"
        ),
    ),
    Interface(
        "windflow",
        namespaces=words("wf"),
        names=words(
            "Execution_Mode_t Filter_Builder FlatMap_Builder Keyed_Windows_Builder Map_Builder MultiPipe "
            "PipeGraph Reduce_Builder Shipper Sink_Builder Source_Builder Source_Shipper Time_Policy_t"
        ),
        members=words(
            "add add_sink add_source build chain chain_sink getLocalStorage getParallelism getReplicaIndex "
            "merge push pushWithTimestamp run select setNextWatermark split withCBWindows "
            "withClosingFunction withInitialState withKeyBy withName withOutputBatchSize withParallelism "
            "withRebalancing withTBWindows wait_end"
        ),
    ),
    Interface(
        "dsparlib",
        namespaces=words("dspar"),
        members=words(
            "Emit GetTotalNumberOfProcessesNeeded Receive SendTo SetCollectorIsOrdered SetOnDemandScheduling "
            "SetTotalNumberOfProcesses SetWorkerReplicas Start"
        ),
        hooks=words("Process Produce Receive Send"),
    ),
    Interface("mpi", prefixes=("MPI_", "MPIX_")),
    Interface("spar", namespaces=words("spar"), clauses=words("thalweg")),
)
"""In this order: a member that several interfaces have is the first's that the source uses."""

ATTRIBUTE = "[["


def marks(tokens: Sequence[Token]) -> list[str]:
    """For each token of a source the name of the interface that it comes from, or nothing."""
    marker = _Marker(tokens)
    for place in range(len(tokens)):
        marker.look_at(place)
    marker.mark_what_goes_with_it()
    return marker.marks


class _Marker:
    """Looks at tokens in their order, as a namespace has its other name only from where it is given."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self.marks = [""] * len(tokens)
        self._namespaces = {name: one for one in INTERFACES for name in one.namespaces}
        self._names = {
            name: one
            for one in INTERFACES
            if not one.namespaces and not one.is_standard
            for name in one.names
        }
        self._pragmas = {name: one for one in INTERFACES for name in one.pragmas}
        self._standard = {name: one for one in INTERFACES if one.is_standard for name in one.names}

    def _text(self, place: int) -> str:
        return self._tokens[place].text if 0 <= place < len(self._tokens) else ""

    def look_at(self, place: int) -> None:
        """Marks what begins here."""
        token = self._tokens[place]
        if token.kind is Kind.DIRECTIVE and token.text == "#pragma":
            if interface := self._pragmas.get(self._text(place + 1)):
                self._mark_pragma(place, interface)
            return
        if token.kind is not Kind.NAME or self.marks[place] or self._is_inside_a_name(place):
            return
        if token.text == "namespace" and self._text(place + 2) == "=":
            if interface := self._interface_of_namespace(place + 3):
                self._namespaces[self._text(place + 1)] = interface
                self._mark((place + 1,), interface)
                self._mark(self._chain(place + 3), interface)
        elif token.text == "using":
            self._look_at_using(place + 1)
        else:
            self._mark_name(place)

    def _is_inside_a_name(self, place: int) -> bool:
        """Whether a name comes before this one, with `::` between, or an object of which this is a member."""
        before = self._text(place - 1)
        if before == "::":
            return place > 1 and (self._tokens[place - 2].is_identifier() or self._text(place - 2) == ">")
        return before in {".", "->"}

    def _chain(self, place: int) -> list[int]:
        """The places of the names in `a::b::c`."""
        if self._text(place) == "::":
            place += 1
        result = [place]
        while self._text(place + 1) == "::" and place + 2 < len(self._tokens):
            place += 2
            if self._tokens[place].kind is Kind.NAME:
                result.append(place)
        return result

    def _interface_of_namespace(self, place: int) -> Interface | None:
        return self._namespaces.get(self._text(self._chain(place)[0]))

    def _look_at_using(self, place: int) -> None:
        """A directive or a declaration: names may stand without their namespace from here on."""
        if self._text(place) == "namespace":
            interface = self._interface_of_namespace(place + 1)
            if interface:
                self._names.update(dict.fromkeys(interface.names, interface))
                self._mark(self._chain(place + 1), interface)
            elif self._text(place + 1) == "std":
                self._names.update(self._standard)
        else:
            chain = self._chain(place)
            interface = self._namespaces.get(self._text(chain[0]))
            if self._text(chain[0]) == "std" and len(chain) > 1:
                interface = self._standard.get(self._text(chain[1]))
            if interface and self._text(chain[-1] + 1) == ";":
                self._names[self._text(chain[-1])] = interface

    def _mark_name(self, place: int) -> None:
        """A name with or without its namespace."""
        chain, first = self._chain(place), self._text(place)
        if len(chain) > 1 and first in self._namespaces:
            if self._text(place - 1) == ATTRIBUTE:
                self._mark_attribute(place, self._namespaces[first])
            self._mark(chain, self._namespaces[first])
        elif len(chain) > 1 and first == "std" and self._text(chain[1]) in self._standard:
            self._mark(chain[1:], self._standard[self._text(chain[1])])
        elif first in self._names:
            self._mark(chain, self._names[first])
        else:
            for interface in INTERFACES:
                if interface.prefixes and first.startswith(interface.prefixes):
                    self._mark(chain, interface)

    def _mark_attribute(self, place: int, interface: Interface) -> None:
        """Marks `[[` and the clauses behind it; what stands in their parentheses is the program's own."""
        self._mark((place - 1,), interface)
        depth = 0
        while depth >= 0 and place < len(self._tokens):
            text = self._text(place)
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text, 0)
            if depth == 0 and text in interface.clauses and self._text(place + 1) == "::":
                self._mark(self._chain(place), interface)
            place += 1

    def _mark_pragma(self, place: int, interface: Interface) -> None:
        """Marks `#pragma omp`, directives and clauses; names in their parentheses are the program's own."""
        self._mark((place, place + 1), interface)
        depth = 0
        for at in self._rest_of_pragma(place + 2):
            text = self._tokens[at].text
            depth += {"(": 1, ")": -1}.get(text, 0)
            is_name = self._tokens[at].kind is Kind.NAME
            if is_name and (depth == 0 or text in interface.pragma_arguments):
                self._mark((at,), interface)

    def _rest_of_pragma(self, place: int) -> Iterator[int]:
        while place < len(self._tokens) and self._tokens[place].directive == "pragma":
            if self._tokens[place].kind is Kind.DIRECTIVE:
                return
            yield place
            place += 1

    def _mark(self, places: Sequence[int], interface: Interface) -> None:
        for place in places:
            self.marks[place] = interface.name

    def mark_what_goes_with_it(self) -> None:
        """Marks members and hooks of the interfaces that were found."""
        found = [interface for interface in INTERFACES if interface.name in self.marks]
        for place, token in enumerate(self._tokens):
            if token.kind is not Kind.NAME or self.marks[place]:
                continue
            is_member = self._text(place - 1) in {".", "->"}
            for interface in found:
                if token.text in interface.hooks or (is_member and token.text in interface.members):
                    self.marks[place] = interface.name
                    break
