#include <thalweg/pipe/printing.hpp>

#include <ostream>

namespace THALWEG_NAMESPACE::pipe {

void print_text(std::ostream& to, std::string_view text) {
  to << text;
}
void print_signed(std::ostream& to, long long number) {
  to << number;
}
void print_unsigned(std::ostream& to, unsigned long long number) {
  to << number;
}
void print_real(std::ostream& to, double number) {
  to << number;
}
bool takes_more(const std::ostream& to) {
  return to.good();
}

}  // namespace THALWEG_NAMESPACE::pipe
