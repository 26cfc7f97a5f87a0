/** Which routers are connected and which links lie between them, and the cheapest paths over those. */
import { LRUCache } from 'lru-cache';
import { PathGraph } from '../../domain/fabric/paths.js';
import type { Path, PathLink, PathRouter, Paths } from '../../domain/fabric/paths.js';

/** Routers of which all paths are kept: 100 KB each in a network of a thousand. */
const MOST_KEPT = 250;
/** So many single paths from a router cost as much as all paths. */
const SINGLE_PATHS = 8;

export class Topology {
  readonly #graph = new PathGraph();
  readonly #kept = new LRUCache<string, Paths>({ max: MOST_KEPT });
  /** How many single paths were asked for since the last change, by the router where they begin. */
  readonly #asked = new Map<string, number>();
  #version = 0;

  /** Another number after each change: what was found before may be no path any more. */
  get version(): number {
    return this.#graph.version;
  }

  setRouter(router: PathRouter): void {
    this.#graph.setRouter(router);
  }

  removeRouter(id: string): void {
    this.#graph.removeRouter(id);
  }

  setLink(link: PathLink): void {
    this.#graph.setLink(link);
  }

  removeLink(id: string): void {
    this.#graph.removeLink(id);
  }

  /** Whether all links of a path are there still. */
  has(path: Path): boolean {
    return this.#graph.has(path);
  }

  /** Returns what a path costs now; undefined when a part of it is gone. */
  costOf(path: Path): number | undefined {
    return this.#graph.costOf(path);
  }

  /** The cheapest path; undefined when there is none. All from a router are found when many are asked for. */
  path(from: string, to: string): Path | undefined {
    this.#forgetOld();
    const known = this.#kept.get(from);
    if (known !== undefined) return known.to(to);
    const asked = (this.#asked.get(from) ?? 0) + 1;
    this.#asked.set(from, asked);
    return asked < SINGLE_PATHS ? this.#graph.path(from, to) : this.pathsFrom(from).to(to);
  }

  /** To each connected router that can be reached from this one; itself among them. */
  pathsFrom(routerId: string): Paths {
    this.#forgetOld();
    const known = this.#kept.get(routerId);
    if (known !== undefined) return known;
    const paths = this.#graph.pathsFrom(routerId);
    this.#kept.set(routerId, paths);
    return paths;
  }

  #forgetOld(): void {
    if (this.#version === this.#graph.version) return;
    this.#version = this.#graph.version;
    this.#asked.clear();
    this.#kept.clear();
  }
}
