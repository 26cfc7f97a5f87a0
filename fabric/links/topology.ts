/** Which routers are connected and which links lie between them, and the cheapest paths over those. */
import { PathGraph } from '../../domain/fabric/paths.js';
import type { Path, PathLink, PathRouter } from '../../domain/fabric/paths.js';

export class Topology {
  readonly #routers = new Map<string, PathRouter>();
  readonly #links = new Map<string, PathLink>();
  readonly #paths = new Map<string, ReadonlyMap<string, Path>>();

  setRouter(router: PathRouter): void {
    this.#routers.set(router.id, router);
    this.#paths.clear();
  }

  removeRouter(id: string): void {
    this.#routers.delete(id);
    this.#paths.clear();
  }

  setLink(link: PathLink): void {
    this.#links.set(link.id, link);
    this.#paths.clear();
  }

  removeLink(id: string): void {
    if (this.#links.delete(id)) this.#paths.clear();
  }

  /** Whether all links of a path are there still. */
  has({ linkIds }: Path): boolean {
    return linkIds.every((id) => this.#links.has(id));
  }

  /** To each connected router that can be reached from this one; itself among them. Kept until something changes. */
  pathsFrom(routerId: string): ReadonlyMap<string, Path> {
    const known = this.#paths.get(routerId);
    if (known !== undefined) return known;
    const paths = new PathGraph(this.#routers.values(), this.#links.values()).pathsFrom(routerId);
    this.#paths.set(routerId, paths);
    return paths;
  }
}
