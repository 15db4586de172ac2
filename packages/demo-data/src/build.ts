import type { CreateRunRequestSchema, CreateV2RunRequestSchema, PutExecutionInput } from '@runledger/protocol'
import type * as z from 'zod'
import type { ProjectKey } from './catalogue/project'

export type RunRequest = z.input<typeof CreateRunRequestSchema>
export type V2RunRequest = z.input<typeof CreateV2RunRequestSchema>

/** A file that is uploaded and linked to its run. */
export interface FileToSend {
  name: string
  contentType: string
  bytes: Uint8Array
}

export interface RunToSend {
  idempotencyKey: string
  request: RunRequest
  files: readonly FileToSend[]
}

export interface ExecutionToSend {
  id: string
  /** Without `ended_at` if the execution began and never reported. */
  request: PutExecutionInput
}

export interface Commit {
  sha: string
  subject: string
  author: string
  /** Number of commits of main before this one, or before the base of its branch. */
  position: number
}

export interface Build {
  project: ProjectKey
  /** Index among the project's builds, by start. */
  index: number
  kind: 'main' | 'request' | 'local'
  group: string
  branch: string
  commit: Commit
  startedAtMs: number
  executions: readonly ExecutionToSend[]
  runs: readonly RunToSend[]
}
