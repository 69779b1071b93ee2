/** How long the page's main thread was held. */
import { browser } from '../harness/chromium.mjs';

/**
 * Processor time of the longest task on the page's main thread while `act` runs, ms. Processor time, not wall time: what
 * other programs take from a shared machine says nothing of the page.
 *
 * @param {import('playwright-core').Page} page
 * @param {() => Promise<unknown>} act
 */
export async function longestTask(page, act) {
  const running = await browser();
  await running.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await act();
  /** @type {{ traceEvents: { ph: string, name: string, pid: number, tid: number, tdur?: number, args: { name?: string } }[] }} */
  const { traceEvents } = JSON.parse((await running.stopTracing()).toString());
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents
    .filter(({ ph, name, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && main.has(`${pid} ${tid}`))
    .map(({ tdur }) => tdur ?? 0);
  if (tasks.length === 0) throw new Error('the trace holds no task of the main thread');
  return Math.max(...tasks) / 1000;
}
