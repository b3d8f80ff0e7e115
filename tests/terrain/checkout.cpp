#include "tests/terrain/checkout.hpp"

namespace quarry::terrain::test_support {

std::filesystem::path checkout() {
    return QUARRY_CHECKOUT;
}

}  // namespace quarry::terrain::test_support
