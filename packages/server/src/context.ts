import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AddressSigner } from './attachments/address-signer'
import type { BlobStore } from './blobs/blob-store'
import { openFolderBlobStore } from './blobs/folder-blob-store'
import { type Clock, systemClock } from './clock'
import type { ServerConfig } from './config/server-config'
import { lockDataFolder } from './database/data-lock'
import type { Database } from './database/database'
import { createKeyGenerator, type KeyGenerator } from './database/key-generator'
import { migrate } from './database/migrate'
import { openSqliteDatabase } from './database/sqlite-database'
import { createSecret } from './keys/secret'
import { type Log, stderrLog } from './log'
import { DefinitionCache } from './runs/definition-cache'
import { readOrCreateSigningSecret } from './settings/settings-store'

/** What operations work with, built once for each server. */
export interface Context {
  config: ServerConfig
  database: Database
  blobs: BlobStore
  clock: Clock
  log: Log
  nextKey: KeyGenerator
  signer: AddressSigner
  definitions: DefinitionCache
  /** What every address that the service hands out starts with; no slash at its end. */
  publicUrl: string
  close(): Promise<void>
}

/** What tests replace. */
export interface ContextParts {
  clock?: Clock
  log?: Log
}

/** Takes the data folder, opens what is in it and brings it up to date. Throws StartError when another process has it. */
export async function createContext(config: ServerConfig, parts: ContextParts = {}): Promise<Context> {
  const clock = parts.clock ?? systemClock
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const unlock = await lockDataFolder(config.dataDir)
  try {
    const database = await openSqliteDatabase(config.dataDir)
    await migrate(database, clock)
    const secret = await database.write((transaction) =>
      readOrCreateSigningSecret(transaction, createSecret('')),
    )
    return {
      config,
      database,
      clock,
      blobs: await openFolderBlobStore(join(config.dataDir, 'blobs')),
      log: parts.log ?? stderrLog,
      nextKey: createKeyGenerator(),
      signer: new AddressSigner(secret, clock),
      definitions: new DefinitionCache(),
      publicUrl: config.publicUrl ?? '',
      async close() {
        await database.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}
