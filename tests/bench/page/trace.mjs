/**
 * What the page's threads did, from the browser's own trace. Processor time, not wall time, is held against targets: what
 * other programs take from a shared machine says nothing of the page.
 */

/**
 * @typedef {{ ph: string, name: string, pid: number, tid: number, ts: number, dur?: number, tdur?: number,
 *   args: { name?: string } }} Event
 * @typedef {{ processor: number, wall: number }} Took milliseconds
 */

const CATEGORIES = ['toplevel', '__metadata', 'devtools.timeline', 'blink.user_timing'];

export class Trace {
  /** @type {Event[]} */
  #events;
  /** Tasks of each thread, in order. @type {Map<string, Event[]>} */
  #tasks = new Map();

  /** @param {Event[]} events */
  constructor(events) {
    this.#events = events;
    for (const event of events) {
      if (event.ph !== 'X' || !event.name.endsWith('RunTask')) continue;
      const tasks = this.#tasks.get(threadOf(event)) ?? [];
      tasks.push(event);
      this.#tasks.set(threadOf(event), tasks);
    }
    for (const tasks of this.#tasks.values()) tasks.sort((a, b) => a.ts - b.ts);
  }

  /** Every task of the main threads of pages. */
  get mainTasks() {
    const threads = this.#events.filter(
      ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain',
    );
    const tasks = threads.flatMap((thread) => this.#tasks.get(threadOf(thread)) ?? []).map(took);
    if (tasks.length === 0) throw new Error('the trace holds no task of the main thread');
    return tasks;
  }

  /** How long each event of a name took. @param {string} name */
  each(name) {
    return this.#events.filter((event) => event.ph === 'X' && event.name === name).map(took);
  }

  /** The tasks in which events of a name fell. @param {string} name */
  tasksAround(name) {
    return this.#events
      .filter((event) => event.name === name && event.ph !== 'M')
      .map((event) => this.#tasks.get(threadOf(event))?.findLast(({ ts }) => ts <= event.ts))
      .filter((task) => task !== undefined)
      .map(took);
  }
}

/**
 * Traces the page and its workers while `act` runs.
 *
 * @param {import('playwright-core').Page} page
 * @param {() => Promise<unknown>} act
 */
export async function traced(page, act) {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page belongs to no browser');
  await browser.startTracing(page, { categories: CATEGORIES });
  await act();
  return new Trace(JSON.parse((await browser.stopTracing()).toString()).traceEvents);
}

/** @param {Event} event */
function threadOf({ pid, tid }) {
  return `${pid} ${tid}`;
}

/** @param {Event} event @returns {Took} */
function took({ dur = 0, tdur = 0 }) {
  return { processor: tdur / 1000, wall: dur / 1000 };
}
