/** Graphs of routers and links, and the cheapest path between two of them. */

export interface PathCase {
  readonly name: string;
  /** `id`, `id:cost`, and `!` at the end for a router that traffic may not pass. */
  readonly routers: string;
  /** `from-to:cost`, each with an id: `id=from-to:cost`. */
  readonly links: string;
  readonly from: string;
  readonly to: string;
  /** Routers and links in turn; null when there is none. */
  readonly path: string | null;
  readonly cost?: number;
}

export const pathCases: readonly PathCase[] = [
  { name: 'one router', routers: 'a', links: '', from: 'a', to: 'a', path: 'a', cost: 0 },
  { name: 'one router, whatever it costs', routers: 'a:500', links: '', from: 'a', to: 'a', path: 'a', cost: 0 },
  { name: 'a router that is not connected', routers: 'a', links: '', from: 'a', to: 'b', path: null },
  { name: 'a source that is not connected', routers: 'b', links: '', from: 'a', to: 'b', path: null },
  { name: 'two routers without a link', routers: 'a b', links: '', from: 'a', to: 'b', path: null },
  {
    name: 'a link, and the least cost of a router',
    routers: 'a b',
    links: 'l=a-b:1',
    from: 'a',
    to: 'b',
    path: 'a l b',
    cost: 11,
  },
  {
    name: 'a link against its direction',
    routers: 'a b',
    links: 'l=b-a:1',
    from: 'a',
    to: 'b',
    path: 'a l b',
    cost: 11,
  },
  {
    name: 'the cost of a router above the least',
    routers: 'a:900 b:100',
    links: 'l=a-b:5',
    from: 'a',
    to: 'b',
    path: 'a l b',
    cost: 105,
  },
  {
    name: 'the cheaper of two links',
    routers: 'a b',
    links: 'l=a-b:9 m=b-a:2 n=a-b:7',
    from: 'a',
    to: 'b',
    path: 'a m b',
    cost: 12,
  },
  {
    name: 'the smaller id of two links that cost the same',
    routers: 'a b',
    links: 'm=a-b:2 l=a-b:2',
    from: 'a',
    to: 'b',
    path: 'a l b',
    cost: 12,
  },
  {
    name: 'the long way when it is cheaper',
    routers: 'a b c',
    links: 'l=a-c:100 m=a-b:1 n=b-c:1',
    from: 'a',
    to: 'c',
    path: 'a m b n c',
    cost: 22,
  },
  {
    name: 'the short way when hops cost more',
    routers: 'a b:200 c',
    links: 'l=a-c:100 m=a-b:1 n=b-c:1',
    from: 'a',
    to: 'c',
    path: 'a l c',
    cost: 110,
  },
  {
    name: 'around a router that may not be passed',
    routers: 'a b! c',
    links: 'l=a-c:100 m=a-b:1 n=b-c:1',
    from: 'a',
    to: 'c',
    path: 'a l c',
    cost: 110,
  },
  {
    name: 'to and from routers that may not be passed',
    routers: 'a! b c!',
    links: 'm=a-b:1 n=b-c:1',
    from: 'a',
    to: 'c',
    path: 'a m b n c',
    cost: 22,
  },
  {
    name: 'none through a router that may not be passed',
    routers: 'a b! c',
    links: 'm=a-b:1 n=b-c:1',
    from: 'a',
    to: 'c',
    path: null,
  },
  {
    name: 'no link to a router that is not connected',
    routers: 'a c',
    links: 'm=a-b:1 n=b-c:1',
    from: 'a',
    to: 'c',
    path: null,
  },
  {
    name: 'no link of a router to itself',
    routers: 'a b',
    links: 'l=a-a:1 m=a-b:5',
    from: 'a',
    to: 'b',
    path: 'a m b',
    cost: 15,
  },
  {
    name: 'a cost that is capped',
    routers: 'a b:65535 c:65535',
    links: 'm=a-b:900000 n=b-c:900000',
    from: 'a',
    to: 'c',
    path: 'a m b n c',
    cost: 1_048_576,
  },
];
