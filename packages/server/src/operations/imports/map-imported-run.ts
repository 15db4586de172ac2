import { CreateV2RunRequestSchema } from '@runledger/protocol'
import type { ImportedRun } from '@runledger/readers'
import type { Context } from '../call/context'
import { parseInTurns } from '../call/input'
import { mapV2Run } from '../../record/results/runs/map-v2-run'
import { digestOnce, type RunRequest } from '../../record/results/run-request'

// The procedure is resolved before the run is checked.
const PROCEDURE = { procedure_id: 'imported' }

/** @throws HttpError BAD_REQUEST */
export async function mapImportedRun(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  { run, metadata, attachments, declaredAttachments, warnings }: ImportedRun,
  uploadId: string | undefined,
): Promise<RunRequest> {
  const body = await parseInTurns(CreateV2RunRequestSchema, { ...run, ...PROCEDURE })
  const request = await mapV2Run(body, clock())
  const tooLarge = attachments.filter(({ bytes }) => bytes.length > config.maxAttachmentBytes)
  return {
    ...request,
    digest: digestOnce({ ...body, metadata }),
    record: { ...request.record, metadata, declaredAttachments },
    inlineAttachments: attachments,
    ...(uploadId !== undefined && { uploadId }),
    warnings: [
      ...request.warnings,
      ...warnings,
      ...tooLarge.map(
        ({ name }) => `attachment "${name}" is larger than attachments may be, and was left out`,
      ),
    ],
  }
}
