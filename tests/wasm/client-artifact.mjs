import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { root } from '../../scripts/machine/root.mjs';

/**
 * The artifact that the client of a real epoch would have recorded: its requests, alternately of two cases.
 *
 * @param {string} name of the real epoch
 * @returns {{ bytes: Buffer, requests: { requestId: string, external: string, caseId: string, phase: string }[] }}
 */
export function clientArtifact(name) {
  const truth = gunzipSync(readFileSync(join(root, 'fixtures/epochs/truth', `${name}.client.jsonl.gz`)));
  const seen = truth
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const context = {
    run_id: 'run-7',
    session_id: 'session-7',
    producer_id: 'client',
    source: 'client',
    clock_domain: 'client/unix_epoch_ns',
    clock_kind: 'wall',
    collection_mode: 'active',
    provenance: 'observed',
  };
  const requests = seen.map(({ external }, at) => ({
    requestId: `mine-${at}`,
    external,
    caseId: at % 2 === 0 ? 'chat' : 'batch',
    phase: 'measure',
  }));
  const rows = [
    { event_type: 'infer.session', session_id: 'session-7', status: 'completed', timestamp_ns: 1 },
    {
      schema_version: 2,
      event_type: 'infer.artifact',
      event_id: 'artifact',
      context,
      artifact_kind: 'inference_jsonl',
      created_at_ns: 1,
    },
    ...requests.map(({ requestId, caseId, phase }, at) => ({
      schema_version: 1,
      event_type: 'infer.dispatch',
      session_id: 'session-7',
      request_id: requestId,
      x_request_id: seen[at].x_request_id,
      case_id: caseId,
      phase,
    })),
  ];
  return { bytes: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')), requests };
}
