/** One reading: from what was dropped to epochs that can be asked about. */

import { Failure } from '../failure.js';
import type { EpochEntry, Manifest, ManifestEpoch, Overview } from '../session/answers.js';
import type { SessionClient } from '../session/client.js';
import type { Wanted } from '../workers/jobs.js';
import { CANCELLED, type Pool } from '../workers/pool.js';
import { unpack } from './archives.js';
import type { Entry, Listing, Packed, Streamed } from './entries.js';
import { type Run, takeRuns } from './runs.js';

export type Stage = 'looking' | 'loading' | 'unpacking' | 'parsing' | 'done';

/** An epoch of the manifest on its way. */
export interface Coming {
  readonly manifest: ManifestEpoch;
  /** Files still to come, or the epoch once it is put together. */
  left: number;
  entry: EpochEntry | null;
}

/** Where the listings come from: a drop, a picker, an address. */
export type Gather = (signal: AbortSignal, told: (words: string) => void) => Promise<Listing[]>;

/** Milliseconds of `performance.now()` at which each part was reached. */
export interface ReadingTimes {
  dropped: number;
  manifest?: number;
  parsed?: number;
  complete?: number;
}

const NOT_A_HOOK_DIRECTORY =
  'Drop the directory that the hook was told to write to. It holds a folder <host>-<boot>, in it folders such as ' +
  'engine-2600-1796067384112945470, and in those files such as 000000.jsonl. One of these folders, or the segment ' +
  'files of one epoch, will do too.';

/** Changes are told so long after the first of them, ms. */
const TELL_EVERY = 60;

/** Side files (status, key) larger than this are no such files. */
const SIDE_FILE_BYTES = 1 << 20;

export class Reading {
  stage: Stage = 'looking';
  /** What is being looked at, in words. */
  note = '';
  /** Artifacts of clients' runs that came along. */
  runs: Run[] = [];
  readonly manifests: { name: string; manifest: Manifest }[] = [];
  readonly coming: Coming[] = [];
  /** Of a single epoch, once it is put together. */
  overview: Overview | null = null;
  bytes = 0;
  bytesTotal = 0;
  /** `performance.now()` when the first byte was asked for; for the rate. */
  parsingSince = 0;
  parsingUntil = 0;
  readonly times: ReadingTimes & { picture?: number } = { dropped: performance.now() };
  readonly #abort = new AbortController();
  readonly #pool: Pool;
  readonly #session: SessionClient;
  readonly #told: () => void;
  #telling: ReturnType<typeof setTimeout> | null = null;
  readonly #opened = new Set<number>();
  readonly #indices = new Map<Coming, number>();

  /** `told` is called when something has changed, now and then. */
  constructor(pool: Pool, session: SessionClient, told: () => void) {
    this.#pool = pool;
    this.#session = session;
    this.#told = told;
  }

  get cancelled(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Stops the reading; `run` then rejects with `CANCELLED` and nothing of it stays. */
  cancel(): void {
    this.#abort.abort(CANCELLED);
    this.#pool.cancel();
  }

  async run(gather: Gather): Promise<EpochEntry[]> {
    this.#changed();
    try {
      const listings = await this.#gather(gather);
      await this.#list(listings);
      await this.#parse(listings);
      this.stage = 'done';
      return this.coming.flatMap(({ entry }) => (entry ? [entry] : []));
    } catch (thrown) {
      for (const epoch of this.#opened) this.#session.tell('removeEpoch', [epoch]).catch(() => {});
      throw this.cancelled ? CANCELLED : thrown;
    } finally {
      if (this.#telling !== null) clearTimeout(this.#telling);
    }
  }

  /** Most readings are over in a moment: what is drawn of them holds up what they are for. */
  #changed(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = null;
      this.#told();
    }, TELL_EVERY);
  }

  async #gather(gather: Gather): Promise<Listing[]> {
    const { signal } = this.#abort;
    const listings = await gather(signal, (words) => {
      this.note = words;
      this.#changed();
    });
    signal.throwIfAborted();
    this.stage = 'unpacking';
    this.#changed();
    const { runs, rest: unpacked } = takeRuns(await unpack(listings, this.#pool));
    this.runs = runs;
    signal.throwIfAborted();
    if (runs.length > 0 && unpacked.every(({ entries }) => entries.length === 0)) return [];
    if (unpacked.every(({ entries }) => entries.length === 0)) {
      const name = unpacked[0]?.name;
      throw new Failure(name ? `${name} is empty` : 'Nothing was dropped', NOT_A_HOOK_DIRECTORY);
    }
    return unpacked;
  }

  async #list(listings: readonly Listing[]): Promise<void> {
    for (const { name, entries } of listings) {
      const plain = entries.map(({ path, size }) => ({ path, size }));
      const manifest = await this.#session.tell('manifest', [plain]);
      this.manifests.push({ name, manifest });
    }
    this.#abort.signal.throwIfAborted();
    if (listings.length > 0 && this.manifests.every(({ manifest }) => manifest.epochs.length === 0)) {
      const { name, manifest } = this.manifests[0] as { name: string; manifest: Manifest };
      throw new Failure(`${name} is no hook directory`, manifest.advice ?? NOT_A_HOOK_DIRECTORY);
    }
    this.times.manifest = performance.now();
    this.#changed();
  }

  async #parse(listings: readonly Listing[]): Promise<void> {
    this.stage = 'parsing';
    this.parsingSince = performance.now();
    const files: File[] = [];
    for (const [i, { manifest }] of this.manifests.entries()) {
      for (const epoch of manifest.epochs) {
        files.push(...(await this.#open(epoch, (listings[i] as Listing).entries)));
      }
    }
    this.bytesTotal = files.reduce((sum, file) => sum + file.entry.size, 0);
    this.#changed();
    await Promise.all(this.coming.filter(({ left }) => left === 0).map((coming) => this.#complete(coming)));
    await this.#read(files);
    this.times.complete = performance.now();
  }

  /** The files of an epoch that are wanted. */
  async #open(epoch: ManifestEpoch, entries: readonly Entry[]): Promise<File[]> {
    const index = await this.#session.tell('openEpoch', [epoch]);
    this.#opened.add(index);
    const coming: Coming = { manifest: epoch, left: 0, entry: null };
    this.coming.push(coming);
    this.#indices.set(coming, index);
    const files: File[] = [];
    const add = (at: number, use: Use): void => {
      const entry = entries[at];
      if (entry) files.push({ coming, epoch: index, entry, use });
    };
    for (const [number, segment] of epoch.segments.entries()) {
      add(segment.entry, { what: 'segment', number, name: segment.name });
    }
    for (const [at, what] of [
      [epoch.status, 'status'],
      [epoch.key, 'key'],
    ] as const) {
      if (at !== null && (entries[at]?.size ?? 0) <= SIDE_FILE_BYTES) add(at, { what });
    }
    coming.left = files.length;
    return files;
  }

  async #read(files: readonly File[]): Promise<void> {
    const packed: { file: File; tag: number; packed: Packed }[] = [];
    const streamed = new Map<Streamed, Wanted[]>();
    const after: Promise<void>[] = [];
    for (const [tag, file] of files.entries()) {
      const { source } = file.entry;
      if (source.kind === 'packed') packed.push({ file, tag, packed: source.packed });
      else if (source.kind === 'member') {
        const wanted = streamed.get(source.archive) ?? [];
        wanted.push(wantedOf(file, tag));
        streamed.set(source.archive, wanted);
      } else {
        after.push(this.#unreadable(file, source.why).then(() => this.#ended(file)));
      }
    }
    // Side files first, they are small; then the largest segments, so that no worker ends long after the others.
    packed.sort(
      (a, b) =>
        Number(a.file.use.what === 'segment') - Number(b.file.use.what === 'segment') ||
        b.file.entry.size - a.file.entry.size,
    );
    const hearing = {
      progress: (bytes: number) => {
        this.bytes += bytes;
        this.#changed();
      },
      got: (tag: number, bytes: Uint8Array, fault: string | null) => {
        const file = files[tag] as File;
        after.push(this.#got(file, bytes, fault).then(() => this.#ended(file)));
      },
      unreadable: (tag: number, why: string) => {
        const file = files[tag] as File;
        after.push(this.#unreadable(file, why).then(() => this.#ended(file)));
      },
    };
    const jobs = [
      ...[...streamed].map(([archive, wanted]) =>
        this.#pool.run({ kind: 'stream', archive, wanted }, hearing),
      ),
      ...packed.map(({ file, tag, packed: source }) =>
        this.#pool.run({ kind: 'read', packed: source, wanted: wantedOf(file, tag) }, hearing),
      ),
    ];
    await Promise.all(jobs);
    this.bytes = this.bytesTotal;
    this.parsingUntil = performance.now();
    this.times.parsed = this.parsingUntil;
    this.#changed();
    await Promise.all(after);
    this.#abort.signal.throwIfAborted();
  }

  async #got(file: File, bytes: Uint8Array, fault: string | null): Promise<void> {
    const { epoch, use } = file;
    if (this.cancelled) return;
    if (use.what === 'segment') {
      await this.#session.tell('addBlock', [epoch, use.number, bytes], [bytes.buffer]);
      if (fault !== null) await this.#unreadable(file, fault);
    } else {
      await this.#session.tell(
        use.what === 'status' ? 'setStatus' : 'setKey',
        [epoch, bytes],
        [bytes.buffer],
      );
    }
  }

  async #unreadable(file: File, why: string): Promise<void> {
    if (this.cancelled || file.use.what !== 'segment') return;
    await this.#session.tell('addUnreadable', [file.epoch, file.use.number, why]);
  }

  async #ended(file: File): Promise<void> {
    file.coming.left -= 1;
    if (file.coming.left === 0 && !this.cancelled) await this.#complete(file.coming);
  }

  async #complete(coming: Coming): Promise<void> {
    const index = this.#indices.get(coming) as number;
    const completing = this.#session.tell('complete', [index]);
    // A single epoch is the one that will be shown: it is asked about in the same breath.
    const overview = this.coming.length === 1 ? this.#session.tell('overview', [index]) : null;
    coming.entry = await completing;
    this.overview = await overview;
    this.#changed();
  }
}

type Use = { what: 'segment'; number: number; name: string } | { what: 'status' } | { what: 'key' };

interface File {
  coming: Coming;
  epoch: number;
  entry: Entry;
  use: Use;
}

function wantedOf({ coming, entry, use }: File, tag: number): Wanted {
  const { path } = entry;
  const { epoch } = coming.manifest;
  return use.what === 'segment'
    ? { tag, what: 'segment', path, name: use.name, epoch }
    : { tag, what: 'bytes', path, name: use.what, epoch };
}
