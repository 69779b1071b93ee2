/** Hook directories written for one test, line by line as the format says. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../harness/logs.mjs';

const START = 1_796_067_384_112_945_470n;
export const EPOCH = `engine-77-${START}`;

/** Wall and monotonic clock differ by this, ns. */
const OFFSET = START - 1_000_000_000n;

/** @param {string} prefix @param {number} at ms after the start */
const stamp = (prefix, at) => {
  const mono = 1_000_000_000n + BigInt(Math.round(at * 1e6));
  const wall = mono + OFFSET;
  return `"${prefix}wall_ns":${wall},"${prefix}mono_ns":${mono},"${prefix}wall_after_ns":${wall + 100n}`;
};

export class Lines {
  #seq = 0;
  /** @type {string[]} */
  lines = [];

  /** @param {string} kind @param {string} fields the record's own, as JSON without braces */
  add(kind, fields) {
    const head = `"format":"stormlog.vllm_hook/1","kind":"${kind}","epoch":"${EPOCH}","seq":${this.#seq}`;
    this.lines.push(`{${head},${fields}}`);
    this.#seq += 1;
  }

  hello() {
    const clock = `"clock":{${stamp('', 0)},"gap_ns":100}`;
    this.add(
      'hello',
      `"role":"engine","host":"made","boot_id":"b","pid":77,"start_ns":${START},"vllm_version":"0.30.0",` +
        `"enabled":true,"refused":null,"producer":"vllm:made:b:77:${START}",` +
        `"observes":["cache_reset","enqueued","pause"],` +
        `"config":{"max_num_batched_tokens":1024,"max_num_seqs":"16"},${clock}`,
    );
  }

  /** @param {string} id @param {number} at ms */
  request(id, at) {
    const internal = JSON.stringify(id);
    this.add('alias', `"internal":${internal},"external":${internal},${stamp('', at)}`);
    this.add(
      'enqueued',
      `"internal":${internal},"structured_output":false,"resumable":false,${stamp('', at)}`,
    );
  }

  /**
   * A step and its outcome.
   *
   * @param {number} iteration
   * @param {number} at ms
   * @param {string[]} ids
   */
  step(iteration, at, ids) {
    const members = ids.map(
      (id) =>
        `{"internal":${JSON.stringify(id)},"sighting":"repeat","phase":"generation","scheduled":1,` +
        `"computed_before":8,"prompt_tokens":8,"prefill_scheduled":0,"past_prompt_scheduled":1,` +
        `"drafts_scheduled":0,"cached_at_admission":null,"recompute":false,"output_before":1,"resumable":false}`,
    );
    const outcomes = ids.map(
      (id) =>
        `{"internal":${JSON.stringify(id)},"outcome":"kept","stale":false,"sampled":1,"accepted_drafts":0,` +
        `"retained":1,"finish_reason":null,"computed_after":9}`,
    );
    this.add(
      'scheduled',
      `"iteration":"${iteration}",${stamp('start_', at)},${stamp('end_', at + 0.1)},` +
        `"total_tokens":${ids.length},"zero_token":${ids.length === 0},"preempted":[],` +
        `"pause_state":"UNPAUSED","members":[${members}]`,
    );
    this.add('completed', `"iteration":"${iteration}",${stamp('', at + 1)},"members":[${outcomes}]`);
  }

  /** @param {number} at ms */
  heartbeat(at) {
    this.add(
      'heartbeat',
      `${stamp('', at)},"last_seq":${this.#seq - 1},"dropped":{},"errors":0,"bytes":0,"capped":false,` +
        `"queued":0,"pending":0,"reserved":0`,
    );
  }

  /** @param {number} at ms */
  goodbye(at) {
    this.add('goodbye', `${stamp('', at)},"last_seq":${this.#seq}`);
  }
}

/**
 * A hook directory with one epoch of these files.
 *
 * @param {Record<string, string | Uint8Array>} files
 */
export function hookDirectory(files) {
  const root = join(temporaryFolder(), 'hook');
  const epoch = join(root, 'made-b', EPOCH);
  mkdirSync(epoch, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(epoch, name), text);
  return root;
}

/** @param {Lines} log */
export const segment = (log) => `${log.lines.join('\n')}\n`;
