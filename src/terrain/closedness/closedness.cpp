#include "quarry/terrain/closedness.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "quarry/jobs/parallel_sort.hpp"
#include "terrain/closedness/coverage.hpp"
#include "terrain/closedness/edges.hpp"
#include "terrain/closedness/open_edges.hpp"
#include "terrain/export/content.hpp"
#include "terrain/export/lattice_key.hpp"

namespace quarry::terrain {
namespace {

using impl::EdgeFinder;
using impl::LatticeKey;
using impl::MeshEdges;
using impl::OpenEdge;
using impl::SharedEdge;
using impl::VertexId;

class Check {
  public:
    Check(std::span<const Mesh> meshes, std::span<const ChunkKey> places, std::int32_t cells, Pool* pool,
          std::vector<OpenEdge>& cracks)
        : meshes_(meshes), cells_(cells), pool_(pool), coverage_(places, cells), cracks_(cracks) {}

    Closedness run() {
        for (std::size_t i = 0; i < meshes_.size(); ++i) {
            impl::require_weldable(meshes_[i], i, cells_);
            first_vertex_.push_back(ids_.size());
            add_ids(meshes_[i]);
        }
        found_.resize(meshes_.size());
        impl::for_each_index(pool_, meshes_.size(), [this](std::size_t i) { find_edges(i); });
        for (std::size_t i = 0; i < meshes_.size(); ++i) add_own(meshes_[i], found_[i]);
        add_shared();
        return result_;
    }

  private:
    void add_ids(const Mesh& mesh) {
        const LatticeKey corner = impl::corner_of(mesh.key, cells_);
        if (mesh.positions.size() + numbers_.size() > VertexId::kMostNumbers) {
            throw std::length_error("more vertices than " + std::to_string(VertexId::kMostNumbers) +
                                    " cannot be checked");
        }
        std::uint32_t own = 0;
        for (const Vector3& at : mesh.positions) {
            ids_.push_back(impl::is_on_side(at, static_cast<float>(cells_))
                               ? VertexId::shared(numbers_.number_of(impl::lattice_key(corner, mesh.key.lod, at)))
                               : VertexId::own(own));
            ++own;
        }
    }

    void find_edges(std::size_t mesh) {
        const std::span<const VertexId> ids = std::span(ids_).subspan(first_vertex_[mesh]);
        const IndexList& indices = meshes_[mesh].indices;
        EdgeFinder finder;
        found_[mesh] =
            finder.find(indices.size(), meshes_[mesh].positions.size(), [&](std::size_t i) { return ids[indices[i]]; });
    }

    // An own vertex lies within its chunk, so its edges are no part of the rim.
    void add_own(const Mesh& mesh, const MeshEdges& found) {
        result_.edges += found.edges;
        result_.repeated += found.repeated;
        const LatticeKey corner = impl::corner_of(mesh.key, cells_);
        const auto place = [&](std::uint32_t vertex) {
            return impl::lattice_key(corner, mesh.key.lod, mesh.positions[vertex]);
        };
        for (const impl::OpenEnds& open : found.open) {
            add_crack({place(open.own),
                       open.other.is_shared() ? numbers_[open.other.number()] : place(open.other.number()),
                       open.times});
        }
    }

    void add_shared() {
        std::vector<SharedEdge> edges;
        for (const MeshEdges& found : found_) edges.insert(edges.end(), found.shared.begin(), found.shared.end());
        if (pool_ != nullptr) {
            parallel_sort(*pool_, edges);
        } else {
            std::sort(edges.begin(), edges.end());
        }
        for (std::size_t i = 0; i < edges.size();) {
            const SharedEdge line = edges[i];
            std::size_t forward = 0;
            std::size_t backward = 0;
            for (; i < edges.size() && edges[i].is_line_of(line); ++i) ++(edges[i].is_backward() ? backward : forward);
            ++result_.edges;
            if (forward > 1 || backward > 1) ++result_.repeated;
            if (forward == backward) continue;
            add_open({numbers_[line.low()], numbers_[line.high()],
                      static_cast<std::int64_t>(forward) - static_cast<std::int64_t>(backward)});
        }
    }

    void add_open(const OpenEdge& edge) {
        if (coverage_.is_on_rim(edge.from, edge.to)) {
            ++result_.rim;
        } else {
            add_crack(edge);
        }
    }

    void add_crack(const OpenEdge& edge) {
        if (++result_.cracks == 1) result_.first_crack = impl::middle_of(edge);
        cracks_.push_back(edge);
    }

    std::span<const Mesh> meshes_;
    const std::int32_t cells_;
    Pool* const pool_;
    const impl::Coverage coverage_;
    std::vector<OpenEdge>& cracks_;
    impl::PlaceNumbers numbers_;
    std::vector<VertexId> ids_;
    std::vector<std::size_t> first_vertex_;
    std::vector<MeshEdges> found_;
    Closedness result_;
};

}  // namespace

Closedness impl::find_cracks(std::span<const Mesh> meshes, std::span<const ChunkKey> places, std::int32_t cells,
                             Pool* pool, std::vector<OpenEdge>& cracks) {
    require_cells(cells);
    return Check(meshes, places, cells, pool, cracks).run();
}

Closedness check_closedness(std::span<const Mesh> meshes, std::span<const ChunkKey> places, std::int32_t cells,
                            Pool* pool) {
    std::vector<OpenEdge> cracks;
    return impl::find_cracks(meshes, places, cells, pool, cracks);
}

}  // namespace quarry::terrain
