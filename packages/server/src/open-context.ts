import { join } from 'node:path'
import { AddressSigner } from './record/files/attachments/addresses'
import { UnlinkedBytes } from './record/files/attachments/unlinked'
import { BLOBS_FOLDER, STAGING_FOLDER } from './storage/folder/blob-files'
import { openFolderBlobStore } from './storage/blobs/folder-blob-store'
import { openS3BlobStore } from './storage/blobs/s3-blob-store'
import { openBucket } from './storage/blobs/open-bucket'
import type { S3Bucket } from './storage/blobs/s3-bucket'
import { type Clock, systemClock } from './base/clock'
import type { ServerConfig } from './base/config/server-config'
import { closeToOthers, describeFolderError, prepareDataFolder } from './storage/folder/data-folder'
import type { Database } from './storage/database/database'
import { createKeyGenerator, findHighestKey } from './storage/database/keys'
import { refuseOtherDatabase } from './storage/database/places/folder-mark'
import { openDatabase } from './storage/open-database'
import { describeUnreachable, isGone } from './storage/database/postgres/postgres-connection'
import { lockDataFolder } from './storage/database/sqlite/sqlite-driver'
import type { Context } from './operations/call/context'
import { SignInProvider } from './record/access/sign-in-provider/sign-in-provider'
import { Deletions } from './upkeep/deletions/deletions'
import { HttpError } from './base/errors'
import { createRecordChange } from './record/access/audit/record-change'
import { KeyUses } from './record/access/keys/key-uses'
import { createSecret } from './record/access/keys/store'
import { createLog, type Log } from './base/log'
import { Metrics } from './base/metrics'
import { DefinitionCache } from './record/results/runs/definition-store'
import {
  deriveServiceSecret,
  deriveSessionKey,
  deriveWebhookKey,
  readOrCreateSigningSecret,
} from './record/access/settings/store'
import { Readiness } from './upkeep/readiness'

/** The context of operations, and what ends it. */
export interface OpenContext extends Context {
  /** Resolves when the writer has failed for good; only a restart helps. */
  failed: Promise<Error>
  close(): Promise<void>
}

/** Parts that tests replace. */
export interface ContextParts {
  /** Wraps the database, such as in one that fails on order. */
  wrapDatabase?: (database: Database) => Database
  clock?: Clock
  log?: Log
}

/** Locks the data folder, opens what is in it and brings it up to date. @throws StartError when it cannot be used */
export async function createContext(config: ServerConfig, parts: ContextParts = {}): Promise<OpenContext> {
  try {
    await prepareDataFolder(config.dataDir)
    const unlock = await lockDataFolder(config.dataDir)
    return await openContext(config, { ...parts, unlock }).catch((error: unknown) => {
      unlock()
      throw error
    })
  } catch (error) {
    throw await describeOpenError(error, config)
  }
}

/** A start-up failure of the database or the object store, as one sentence for the operator. */
export async function describeOpenError(
  error: unknown,
  { dataDir, database }: Pick<ServerConfig, 'dataDir' | 'database'>,
): Promise<unknown> {
  if (!(error instanceof HttpError)) return describeFolderError(error, dataDir)
  return database !== undefined && isGone(error.cause) ? describeUnreachable(database, error.cause) : error
}

interface OpenParts extends ContextParts {
  unlock: () => void
}

async function openContext(
  config: ServerConfig,
  {
    unlock,
    clock = systemClock,
    log = createLog(config.logLevel),
    wrapDatabase = (plain) => plain,
  }: OpenParts,
): Promise<OpenContext> {
  // Once for existing files before they are opened; again below, for new ones.
  await closeToOthers(config.dataDir, log)
  let writerEnded: (error: Error) => void = () => undefined
  const failed = new Promise<Error>((resolve) => (writerEnded = resolve))
  const { dataDir, database: url, storage } = config
  const bucket = storage && (await openBucket(storage, log))
  const database = wrapDatabase(await openDatabase({ dataDir, url, bucket, log, writerEnded }))
  try {
    return await fillContext(config, { unlock, clock, log, database, bucket, failed })
  } catch (error) {
    // Its thread and processes would keep this process alive.
    await database.close()
    throw error
  }
}

interface FillParts {
  unlock: () => void
  clock: Clock
  log: Log
  database: Database
  bucket: S3Bucket | undefined
  failed: Promise<Error>
}

async function fillContext(
  config: ServerConfig,
  { unlock, clock, log, database, bucket, failed }: FillParts,
): Promise<OpenContext> {
  const secret = await database.write((transaction) =>
    readOrCreateSigningSecret(transaction, createSecret('')),
  )
  if (config.database === undefined) await refuseOtherDatabase(config.dataDir, database.query)
  const folder = join(config.dataDir, BLOBS_FOLDER)
  const blobs = bucket
    ? await openS3BlobStore(bucket, join(folder, STAGING_FOLDER))
    : await openFolderBlobStore(folder)
  await closeToOthers(config.dataDir, log)
  const deletions = new Deletions({ database, blobs, log })
  const metrics = new Metrics()
  const nextKey = createKeyGenerator(await database.read(findHighestKey))
  return {
    config,
    database,
    clock,
    blobs,
    log,
    nextKey,
    recordChange: createRecordChange({ clock, nextKey }, { operation: 'upkeep' }),
    signer: new AddressSigner(secret, clock),
    definitions: new DefinitionCache(),
    keyUses: new KeyUses(),
    signInProvider: config.provider && new SignInProvider(config.provider),
    metrics,
    readiness: new Readiness({ database, blobs }),
    unlinked: new UnlinkedBytes({ config, database, blobs, log, metrics, clock }),
    deletions,
    publicUrl: config.publicUrl ?? '',
    filesUrl: config.filesOrigin ?? '',
    serviceSecret: deriveServiceSecret(secret),
    sessionKey: deriveSessionKey(secret),
    webhookKey: deriveWebhookKey(secret),
    failed,
    async close() {
      await deletions.stop()
      await database.close()
      unlock()
    },
  }
}
