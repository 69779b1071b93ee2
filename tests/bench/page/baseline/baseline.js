/** The least a page written by hand does with a dropped log: one worker that reads it and parses its every line. */

const worker = new Worker(new URL('./parse.js', import.meta.url), { type: 'module' });

/** @param {FileSystemEntry} entry @returns {Promise<File[]>} */
async function filesOf(entry) {
  if (entry.isFile) {
    return [
      await new Promise((resolve, reject) =>
        /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject),
      ),
    ];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  const files = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return files;
    for (const child of some) files.push(...(await filesOf(child)));
  }
}

addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', async (event) => {
  event.preventDefault();
  const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
  const files = (await Promise.all(entries.map((entry) => (entry ? filesOf(entry) : [])))).flat();
  const segments = files.filter(({ name }) => name.endsWith('.jsonl'));
  worker.onmessage = ({ data }) => {
    Object.assign(window, { baseline: { ...data, finished: performance.now() } });
  };
  worker.postMessage(segments.sort((a, b) => a.name.localeCompare(b.name)));
});
