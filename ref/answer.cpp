// The answer to any request. SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"

#include "ref/operations.hpp"

namespace colex::ref {

namespace {

answering answering_of(std::size_t place) {
  auto const in = operations[place].in;
  return (in <= group::algebra ? answering_layout : in == group::f2 ? answering_f2 : answering_tiling)(place);
}
value run_as_layouts(std::size_t place, arguments const& a) { return answering_of(place)(a); }
value run(std::size_t place, arguments const& a) {
  try {
    return run_as_layouts(place, a);
  } catch (undefined const&) {
    if (auto const map = through_f2(operations[place].name, a)) return spelled(*map);
    throw;
  }
}

answer responded(request const& r, value (*run)(std::size_t, arguments const&)) {
  std::size_t const place = checked_place(r);
  try {
    arguments args;
    for (value const& v : r.args) args.push_back(plain(v));
    return answer_of(run(place, args));
  } catch (undecided const& e) {
    return {status::undecided, {}, clipped_words(e.what())};
  } catch (undefined const& e) {
    return {status::undefined, {}, clipped_words(e.what())};
  } catch (unspecified const& e) {
    return {status::unspecified, {}, clipped_words(e.what())};
  } catch (malformed const& e) {
    throw malformed_request(operations[place], r, e);
  }
}

}  // namespace

answer respond(request const& r) { return responded(r, run); }
answer respond_as_layouts(request const& r) { return responded(r, run_as_layouts); }

}  // namespace colex::ref
