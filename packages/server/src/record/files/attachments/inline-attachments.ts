import type { InlineAttachment, TakenAttachment } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { StagedBlob } from '../../../storage/blobs/blob-store'
import { type CountBlob, keepBlobs } from '../blobs/keep-blobs'
import type { FileContext } from './file-context'
import type { Query } from '../../../storage/database/database'
import type { RunsTable } from '../../../storage/database/schema/runs'
import type { CreatorColumns } from '../../access/keys/principal'
import { resolveMediaType } from './bytes'
import { insertAttachment } from './store'

/** On disk; the transaction of the run writes the rows. */
export interface InlineBytes {
  /** Undefined when the request had none. What the response lacks was not taken. */
  link(query: Query, run: LinkedRun): Promise<TakenAttachment[] | undefined>
}

type LinkedRun = Pick<RunsTable, 'id' | 'created_at_us' | keyof CreatorColumns>

type StagedFile = Omit<InlineFile, 'bytes'> & { staged: StagedBlob }

/**
 * `work` links the files in one transaction; when it rejects, they are removed. Files above the limit are left out, so that their
 * run does not fail.
 */
export async function withInlineBytes<Result>(
  context: FileContext,
  inline: readonly InlineFile[] | undefined,
  work: (bytes: InlineBytes) => Promise<Result>,
): Promise<Result> {
  if (inline === undefined) return work({ link: () => Promise.resolve(undefined) })
  const staged: StagedFile[] = []
  try {
    for (const each of inline) if (fits(context, each)) staged.push(await stage(context, each))
    const bytes = staged.map((each) => each.staged)
    return await keepBlobs(context, bytes, (count) =>
      work({ link: (query, run) => linkAll(context, query, { staged, run, count }) }),
    )
  } finally {
    for (const each of staged) await each.staged.discard()
  }
}

function fits({ config }: FileContext, { bytes }: InlineFile): boolean {
  return bytes.length <= config.maxAttachmentBytes
}

async function stage({ blobs, config }: FileContext, { bytes, ...file }: InlineFile): Promise<StagedFile> {
  return { ...file, staged: await blobs.stage(Readable.from([bytes]), config.maxAttachmentBytes) }
}

async function linkAll(
  context: FileContext,
  query: Query,
  { staged: all, run, count }: { staged: readonly StagedFile[]; run: LinkedRun; count: CountBlob },
): Promise<TakenAttachment[]> {
  const taken: TakenAttachment[] = []
  for (const { name, contentType, staged } of all) {
    const id = randomUUID()
    await count(query, staged)
    await insertAttachment(query, {
      id: context.nextKey(),
      public_id: id,
      name,
      content_type: resolveMediaType(contentType, name),
      sha256: staged.sha256,
      run_id: run.id,
      link_to_run_id: null,
      created_at_us: run.created_at_us,
      created_by_user_id: run.created_by_user_id,
      created_by_station_id: run.created_by_station_id,
      created_by_procedure_id: null,
      unit_id: null,
      link_to_unit_id: null,
      received_at_us: run.created_at_us,
    })
    taken.push({ name, id })
  }
  return taken
}

export function mapInlineTexts(texts: readonly InlineAttachment[] | undefined): InlineFile[] | undefined {
  return texts?.map(({ name, content_type: contentType, text }) => ({
    name,
    contentType,
    bytes: Buffer.from(text),
  }))
}

export interface InlineFile {
  name: string
  /** As sent. */
  contentType: string | undefined
  bytes: Uint8Array
}
