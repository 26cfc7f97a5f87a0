/** The frame around the views: who is signed in, where one can go, and what is wrong with the connection. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isReached } from './api/client.js';
import { isLive, startLive } from './api/live.js';
import { linkTo, route } from './api/route.js';
import { may, mayFabric, sessionState, signOut, whoIsIn } from './api/session.js';
import { JobDialog } from './jobs/jobs.js';
import { LoginAgain, SignInPage } from './login.js';
import { PageHead } from './parts/basics.js';
import { Access } from './views/access.js';
import { ChangesPage } from './views/changes.js';
import { Jobs } from './views/jobs.js';
import { NetworkPage } from './views/network.js';
import { Overview } from './views/overview.js';
import { IdentityPage, PolicyPage, RouterPage, ServicePage } from './views/things.js';
import { Why } from './views/why.js';

interface Place {
  readonly path: string;
  readonly name: string;
  readonly isFor: () => boolean;
  readonly view: () => ComponentChildren;
}

const PLACES: readonly Place[] = [
  { path: '', name: 'Overview', isFor: () => true, view: () => <Overview /> },
  { path: 'access', name: 'Who reaches what', isFor: () => may('detailNetworkAccess'), view: () => <Access /> },
  {
    path: 'network',
    name: 'Network',
    isFor: () => mayFabric('listRouters') || mayFabric('listLinks') || may('listEdgeRouters'),
    view: () => <NetworkPage />,
  },
  { path: 'changes', name: 'Changes', isFor: () => may('listAudit'), view: () => <ChangesPage /> },
  { path: 'jobs', name: 'Jobs', isFor: () => true, view: () => <Jobs /> },
];

/** Pages of single things, which no menu leads to. */
const THINGS: Readonly<Record<string, (parts: readonly string[]) => ComponentChildren>> = {
  identity: ([id = '']) => <IdentityPage key={id} id={id} />,
  service: ([id = '']) => <ServicePage key={id} id={id} />,
  policy: ([id = '']) => <PolicyPage key={id} id={id} />,
  router: ([id = '']) => <RouterPage key={id} id={id} />,
  why: ([identity = '', service = '']) => (
    <Why key={`${identity}/${service}`} identityId={identity} serviceId={service} />
  ),
};

function Current() {
  const [first = '', ...rest] = route.value.path;
  const thing = THINGS[first]?.(rest);
  if (thing !== undefined) return <>{thing}</>;
  const place = PLACES.find(({ path }) => path === first);
  if (place === undefined)
    return <PageHead title="No such page" lead="The address names nothing that there is here." />;
  if (!place.isFor()) return <PageHead title={place.name} lead="Your rights do not cover this page." />;
  return <>{place.view()}</>;
}

function Connection() {
  if (!isReached.value)
    return (
      <div class="banner" role="alert">
        The controller does not answer. This page tries again by itself; what you typed stays.
      </div>
    );
  return null;
}

function Head() {
  const [first = ''] = route.value.path;
  return (
    <header class="top">
      <a class="brand" href="#/">
        <img src="/network-page/icon.svg" alt="" width="26" height="26" />
        Edge Controller
      </a>
      <nav aria-label="Pages">
        {PLACES.filter(({ isFor }) => isFor()).map(({ path, name }) => (
          <a key={path} href={linkTo([path])} aria-current={path === first ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <div class="who">
        {may('streamEvents') && (
          <span class={isLive.value ? 'live on' : 'live'} role="status">
            {isLive.value ? 'Live' : 'Not live'}
          </span>
        )}
        <span class="name">{whoIsIn.value?.name}</span>
        <button type="button" class="plain" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </header>
  );
}

/** Tells readers of screens, and the keyboard, that another page is there. */
function useFocusOnPage(): void {
  const path = route.value.path.join('/');
  const isFirst = useRef(true);
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('main h1');
    document.title = `${heading?.textContent ?? 'Edge Controller'} – Edge Controller`;
    if (!isFirst.current) heading?.focus();
    isFirst.current = false;
  }, [path]);
}

function SignedIn() {
  const id = whoIsIn.value?.id;
  useEffect(() => (may('streamEvents') ? startLive() : undefined), [id]);
  useFocusOnPage();
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('main h1')?.focus();
        }}
      >
        Skip to the page
      </a>
      <Head />
      <Connection />
      <main id="main">
        <Current />
      </main>
      <JobDialog />
    </>
  );
}

export function Shell() {
  const who = whoIsIn.value;
  if (who === undefined)
    return (
      <>
        <Connection />
        <SignInPage />
      </>
    );
  return (
    <>
      <SignedIn key={who.id} />
      {sessionState.value !== 'in' && <LoginAgain />}
    </>
  );
}
