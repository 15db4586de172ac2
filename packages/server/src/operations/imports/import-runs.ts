import {
  type CreateV2RunResponse,
  type ImportedRuns,
  isStorable,
  NameSchema,
  VALIDATION_FAILED_MESSAGE,
} from '@runledger/protocol'
import { type ImportedRun, quote, ReadError } from '@runledger/readers'
import { createHash } from 'node:crypto'
import { HttpError } from '../../base/errors'
import type { Principal } from '../../record/access/keys/principal'
import { findUserByEmail } from '../../record/access/users/store'
import { findAttachment } from '../../record/files/attachments/store'
import type { RunRequest } from '../../record/results/run-request'
import type { Context } from '../call/context'
import { type NamedSubject, writeToProcedure } from '../call/subjects'
import { createRunOnce } from '../runs/create-run'
import { mapImportedRun } from './map-imported-run'
import { inImportTurn, readOwnUpload } from './own-upload'
import { WarningList } from './warning-list'

/** Most runs of a file: one request creates them all, one by one. */
const MAX_RUNS = 10_000

export interface FileImport {
  uploadId: string
  /** Without it each run is known by its content, and stored once, whatever file it comes in. */
  idempotencyKey?: string | undefined
  /** The part of units whose part the file does not name. */
  partNumber?: string | undefined
  /** Called once to check the file, and once to store its runs. */
  read: (bytes: Buffer) => AsyncIterable<ImportedRun>
  nameProcedure: (imported: ImportedRun) => NamedSubject
}

export interface StoredRuns {
  runs: [ImportedRuns[number], ...ImportedRuns]
  warnings: string[] | undefined
  /** To the first run. */
  answer: CreateV2RunResponse
}

/**
 * Links the upload to the first run. @throws HttpError as run creation does, and BAD_REQUEST that says where the file cannot be
 * read: then nothing is stored, and the file stays
 */
export async function importRuns(
  context: Context,
  principal: Principal,
  asked: FileImport,
): Promise<StoredRuns> {
  return inImportTurn(context, asked.uploadId, async () => {
    const { uploadId, bytes } = await readOwnUpload(context, principal, asked.uploadId)
    try {
      // A single run is checked as it is stored.
      if (asked.idempotencyKey === undefined) await checkFile(context, asked, bytes)
      const upload = await findAttachment(context.database.query, uploadId)
      // An earlier attempt may have stored some of the runs.
      const isLinked = asked.idempotencyKey === undefined && upload?.run_id !== null
      return await storeRuns(context, principal, { ...asked, bytes, linkTo: isLinked ? undefined : uploadId })
    } catch (error) {
      throw tellPlace(error)
    }
  })
}

async function checkFile(context: Context, asked: FileImport, bytes: Buffer): Promise<void> {
  let count = 0
  for await (const imported of asked.read(bytes)) {
    count += 1
    if (count > MAX_RUNS) throw refusal(`has more than ${MAX_RUNS} runs: split it`)
    await toRequest(context, asked, imported)
  }
  if (count === 0) throw refusal('has no results')
}

function refusal(problem: string): ReadError {
  return new ReadError([{ path: [], message: `The file ${problem}.` }])
}

async function storeRuns(
  context: Context,
  principal: Principal,
  { bytes, linkTo, ...asked }: FileImport & { bytes: Buffer; linkTo: string | undefined },
): Promise<StoredRuns> {
  const runs: ImportedRuns = []
  const warnings = new WarningList()
  let first: CreateV2RunResponse | undefined
  let upload = linkTo
  for await (const imported of asked.read(bytes)) {
    const request = await toRequest(context, { ...asked, linkTo: upload }, imported)
    const named = asked.nameProcedure(imported)
    const { answer, created } = await createRunOnce(context, request, {
      principal,
      write: writeToProcedure(context, principal, named),
      strict: false,
      idempotencyKey: asked.idempotencyKey ?? (await nameByContent(request, named)),
    })
    if (created) upload = undefined
    first ??= answer
    runs.push({ id: answer.id, url: answer.url, created })
    warnings.add(answer.warnings, imported.moreWarnings)
  }
  const [one, ...others] = runs
  if (one === undefined || first === undefined) throw refusal('has no results')
  return { runs: [one, ...others], answer: first, warnings: warnings.list() }
}

async function toRequest(
  context: Context,
  { partNumber, nameProcedure, linkTo }: FileImport & { linkTo?: string | undefined },
  imported: ImportedRun,
): Promise<RunRequest> {
  checkProcedure(nameProcedure(imported), imported)
  const run = { ...imported.run, part_number: imported.run.part_number ?? partNumber }
  const request = await mapImportedRun(context, { ...imported, run }, linkTo)
  const { operator } = imported
  const email = operator?.includes('@') && isStorable(operator) ? operator : undefined
  const isUser = email !== undefined && (await findUserByEmail(context.database.query, email))
  return isUser ? { ...request, operatedBy: operator } : request
}

/** The same results under the same procedure are the same run. */
async function nameByContent(request: RunRequest, named: NamedSubject): Promise<string> {
  const digest = await request.digest()
  const hash = createHash('sha256').update(
    JSON.stringify([named['procedure_id'] ?? named['procedure_name'], digest]),
  )
  return `imported ${hash.digest('base64url')}`
}

const NAME_FIX =
  'send procedure_id, or shorten the name in the file (processName of WATS, the name of the .seq file of TestStand and ATML, JOB_NAM of STDF)'

/** @throws HttpError without a procedure, and ReadError for a name from the file that a procedure cannot have */
function checkProcedure(
  { procedure_id, procedure_name: name }: NamedSubject,
  { run: { serial_number: unit } }: ImportedRun,
): void {
  if (procedure_id !== undefined) return
  if (name !== undefined) {
    const [issue] = NameSchema.safeParse(name).error?.issues ?? []
    if (issue === undefined) return
    const message = `of unit ${quote(unit)} is ${quote(name)}: ${issue.message}: ${NAME_FIX}`
    throw new ReadError([{ path: ['procedure_name'], message }])
  }
  const message = 'is required: the file names no procedure; send it, or give procedure_id to openhtf.Test'
  throw new HttpError('BAD_REQUEST', `procedure_id ${message}.`, {
    issues: [{ path: ['procedure_id'], message }],
  })
}

/** Clients of v1 show the message alone, so it says what the issues say. */
function tellPlace(error: unknown): unknown {
  if (error instanceof ReadError) {
    const issues = error.issues.map(({ path, message }) => ({ path: [...path], message }))
    return new HttpError('BAD_REQUEST', `The file cannot be imported: ${error.message}`, {
      issues,
      cause: error,
    })
  }
  if (!(error instanceof HttpError)) return error
  if (error.code === 'PARSE_ERROR' || error.code === 'PAYLOAD_TOO_LARGE')
    return new HttpError('BAD_REQUEST', error.message, { cause: error })
  if (error.message !== VALIDATION_FAILED_MESSAGE) return error
  const places = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return Object.assign(error, { message: `The file cannot become a run: ${places.slice(0, 5).join('; ')}` })
}
