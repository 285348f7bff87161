/// Thalweg: structured stream processing. The one header a program needs.
#pragma once

#include <thalweg/flow/paced.hpp>
#include <thalweg/model/any_pipeline.hpp>
#include <thalweg/model/composite_stage.hpp>
#include <thalweg/pattern/batch.hpp>
#include <thalweg/pattern/composite.hpp>
#include <thalweg/pattern/farm.hpp>
#include <thalweg/pattern/filter.hpp>
#include <thalweg/pattern/flat_map.hpp>
#include <thalweg/pattern/interval_join.hpp>
#include <thalweg/pattern/iterate.hpp>
#include <thalweg/pattern/join_by.hpp>
#include <thalweg/pattern/key_by.hpp>
#include <thalweg/pattern/map.hpp>
#include <thalweg/pattern/merge.hpp>
#include <thalweg/pattern/own_stage.hpp>
#include <thalweg/pattern/reduce.hpp>
#include <thalweg/pattern/reorder.hpp>
#include <thalweg/pattern/sink.hpp>
#include <thalweg/pattern/source.hpp>
#include <thalweg/pattern/split.hpp>
#include <thalweg/pattern/window.hpp>
#include <thalweg/pattern/zip.hpp>
#include <thalweg/run/run.hpp>
