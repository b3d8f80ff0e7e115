#pragma once

#include "preview/vector.hpp"

namespace quarry::app::preview {

// Sun, sky and the air between. Colours are linear; 1 is about what a white wall in the sun sends back.
class Atmosphere {
  public:
    // haze: share of a thing's own colour that is lost over `reach` world units at ground height. The air thins out
    // upwards by a factor of e each third of the reach.
    Atmosphere(Vec to_sun, float ground, float reach, float haze);

    Vec to_sun() const noexcept { return to_sun_; }
    Vec sunlight() const noexcept { return sunlight_; }
    // Light from that direction, which has length 1; below the horizon that of the horizon.
    Vec sky(Vec direction) const noexcept;
    // The same with thin clouds and the sun itself.
    Vec sky_with_clouds(Vec direction) const noexcept;
    // A colour seen through the air.
    Vec through_air(Vec colour, Vec from, Vec direction, float distance) const noexcept;

  private:
    Vec to_sun_;
    Vec sunlight_;
    Vec zenith_;
    Vec horizon_;
    Vec glow_;
    float ground_;
    float thinning_;  // per world unit of height
    float density_;   // per world unit at the ground
};

}  // namespace quarry::app::preview
