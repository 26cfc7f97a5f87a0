/**
 * Connected routers, the links between them, and the cheapest paths over those. All paths of a
 * router also say how others reach it. They are kept until something changes, once several were asked for.
 */
import { LRUCache } from 'lru-cache';
import type { Path, Paths } from '../../domain/fabric/path.js';
import { PathGraph } from '../../domain/fabric/paths.js';
import type { PathLink, PathRouter } from '../../domain/fabric/paths.js';

/** Routers of which all paths are kept: 100 KB each in a network of a thousand. */
const MOST_KEPT = 250;
/** So many single paths cost as much as all paths of a router. */
const SINGLE_PATHS = 4;

export class Topology {
  readonly #graph = new PathGraph();
  readonly #kept = new LRUCache<string, Paths>({ max: MOST_KEPT });
  /** How often a path of a router was asked for since the last change, and was not kept. */
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

  /** The cheapest path, one of them when several cost the same; undefined when there is none. */
  path(from: string, to: string): Path | undefined {
    this.#forgetOld();
    const known = this.#keptPath(from, to);
    if (known !== undefined) return known.path;
    const [often] = [from, to].filter((end) => this.#ask(end) >= SINGLE_PATHS);
    if (often !== undefined) this.pathsFrom(often);
    const found = this.#keptPath(from, to);
    return found === undefined ? this.#graph.path(from, to) : found.path;
  }

  /**
   * Costs of the cheapest paths to these routers; those that cannot be reached are left out. Many routers dial few that
   * host, so all paths of a host are found once it was asked for as often as there are hosts.
   */
  costsTo(from: string, routerIds: ReadonlySet<string>): Map<string, number> {
    this.#forgetOld();
    const costs = new Map<string, number>();
    const unknown: string[] = [];
    const add = (id: string, cost: number | undefined) => {
      if (cost !== undefined) costs.set(id, cost);
    };
    const own = this.#kept.get(from);
    for (const id of routerIds) {
      const paths = own === undefined ? this.#kept.get(id) : undefined;
      if (own !== undefined) add(id, own.costTo(id));
      else if (paths !== undefined) add(id, paths.costFrom(from));
      else unknown.push(id);
    }
    const wanted = Math.max(SINGLE_PATHS, unknown.length);
    const [often] = unknown.filter((id) => this.#ask(id) >= wanted);
    if (often !== undefined) add(often, this.pathsFrom(often).costFrom(from));
    const left = unknown.filter((id) => id !== often);
    const costTo =
      left.length < SINGLE_PATHS
        ? (id: string) => this.#graph.path(from, id)?.cost
        : (id: string) => this.pathsFrom(from).costTo(id);
    for (const id of left) add(id, costTo(id));
    return costs;
  }

  /** Paths to each connected router that can be reached from this one, itself included. */
  pathsFrom(routerId: string): Paths {
    this.#forgetOld();
    const known = this.#kept.get(routerId);
    if (known !== undefined) return known;
    const paths = this.#graph.pathsFrom(routerId);
    this.#kept.set(routerId, paths);
    return paths;
  }

  /** @returns how often it was asked for by now */
  #ask(routerId: string): number {
    const asked = (this.#asked.get(routerId) ?? 0) + 1;
    this.#asked.set(routerId, asked);
    return asked;
  }

  /** The path as the paths of either end have it; undefined when those of neither are kept. */
  #keptPath(from: string, to: string): { readonly path: Path | undefined } | undefined {
    const paths = this.#kept.get(from);
    if (paths !== undefined) return { path: paths.to(to) };
    const back = this.#kept.get(to);
    return back === undefined ? undefined : { path: back.from(from) };
  }

  #forgetOld(): void {
    if (this.#version === this.#graph.version) return;
    this.#version = this.#graph.version;
    this.#asked.clear();
    this.#kept.clear();
  }
}
