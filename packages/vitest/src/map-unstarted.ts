import type { Suite } from '@runledger/core'
import { readFields, toRelativePath } from '@runledger/reporter-kit'
import { mapError } from './map-error'

export interface PlannedFile {
  project: string
  moduleId: string
}

export function readPlannedFiles(specifications: readonly unknown[]): PlannedFile[] {
  return specifications.flatMap((specification) => {
    const { moduleId, project } = readFields(specification)
    const { name } = readFields(project)
    return typeof moduleId === 'string' ? [{ moduleId, project: typeof name === 'string' ? name : '' }] : []
  })
}

export interface UnstartedFiles {
  errors: Map<PlannedFile, unknown[]>
  others: unknown[]
}

/**
 * Assigns errors to files whose worker did not start. Since Vitest 4 one error lists the files; Vitest 3 does not name them.
 */
export function assignUnstarted(
  errors: readonly unknown[],
  unstarted: readonly PlannedFile[],
): UnstartedFiles {
  const assigned: UnstartedFiles = { errors: new Map(), others: [] }
  for (const error of errors) {
    const { message } = readFields(error)
    const named = unstarted.filter(({ moduleId }) => typeof message === 'string' && names(message, moduleId))
    // If several projects have the file, each has its own error.
    const files = named.filter((file) => !hasEarlierTwin(file, named, assigned))
    for (const file of files) assigned.errors.set(file, [...(assigned.errors.get(file) ?? []), error])
    if (files.length === 0) assigned.others.push(error)
  }
  return assigned
}

function names(message: string, moduleId: string): boolean {
  return message.endsWith(moduleId) || [', ', '.', '\n'].some((end) => message.includes(moduleId + end))
}

/** True if the same file of another project gets the next error. */
function hasEarlierTwin(
  file: PlannedFile,
  named: readonly PlannedFile[],
  { errors }: UnstartedFiles,
): boolean {
  const twins = named.filter(({ moduleId }) => moduleId === file.moduleId)
  const countOf = (each: PlannedFile): number => errors.get(each)?.length ?? 0
  const [next] = twins.toSorted((a, b) => countOf(a) - countOf(b))
  return next !== file
}

export function mapUnstarted(
  { moduleId, project }: PlannedFile,
  errors: readonly unknown[],
  { rootDir, startedAtMs }: { rootDir: string; startedAtMs: number },
): Suite {
  return {
    project,
    file: toRelativePath(rootDir, moduleId),
    startedAtMs,
    durationMs: 0,
    outcome: 'failed',
    tests: [],
    problems: errors.map((error) => ({
      name: 'Suite failed to load',
      errors: [mapError(error, rootDir)],
      atMs: startedAtMs,
    })),
    output: [],
    attachments: [],
  }
}
