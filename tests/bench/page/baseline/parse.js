let records = 0;
let steps = 0;

/** @param {string} line */
function take(line) {
  if (JSON.parse(line).kind === 'scheduled') steps += 1;
  records += 1;
}

/** @param {File} file */
async function read(file) {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder();
  let coming = reader.read();
  let rest = '';
  for (;;) {
    const { value, done } = await coming;
    if (done) break;
    coming = reader.read();
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  }
  if (rest !== '') take(rest);
}

addEventListener('message', async ({ data }) => {
  for (const file of data) await read(file);
  postMessage({ records, steps });
});
