/** Offers what people come for, each in one dialog. What the reader's rights do not cover is not offered. */
import { PageHead } from '../parts/basics.js';
import { JOBS } from '../jobs/jobs.js';
import { openJob } from '../jobs/state.js';

export function Jobs() {
  const offered = JOBS.filter(({ isFor }) => isFor());
  return (
    <>
      <PageHead title="Jobs" lead="What people come for, each in one dialog." />
      {offered.length === 0 && <p class="empty">Your rights cover none of the jobs.</p>}
      <ul class="cards">
        {offered.map(({ name, title, about }) => (
          <li key={name}>
            <h2>{title}</h2>
            <p>{about}</p>
            <button
              type="button"
              class="primary"
              onClick={() => {
                openJob(name);
              }}
            >
              Begin<span class="unseen">: {title}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
