import type { Clock } from '../base/clock'
import type { ServerConfig } from '../base/config/server-config'
import type { Log } from '../base/log'
import type { Metrics } from '../base/metrics'
import type { BlobStore } from './blobs/blob-store'
import type { Database } from './database/database'
import type { KeyGenerator } from './database/keys'

export interface StorageContext {
  config: ServerConfig
  database: Database
  blobs: BlobStore
  clock: Clock
  log: Log
  metrics: Metrics
  nextKey: KeyGenerator
}
