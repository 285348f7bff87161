/// Ready-made stages: what most programs need around their own. Not part of thalweg.hpp, which compiles
/// faster without them; each has a header of its own, too.
#pragma once

#include <thalweg/stages/blocks.hpp>
#include <thalweg/stages/compression.hpp>
#include <thalweg/stages/file_sink.hpp>
#include <thalweg/stages/files.hpp>
#include <thalweg/stages/head.hpp>
#include <thalweg/stages/lines.hpp>
#include <thalweg/stages/rate_meter.hpp>
#include <thalweg/stages/sampler.hpp>
#include <thalweg/stages/tee.hpp>
#include <thalweg/stages/type_filter.hpp>
