import { listFoldersUpward } from '@runledger/core/tools'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { FailedTests } from './failed-tests'
import { type FailedTest, keyOfFile, type TestFile } from './recorded-run'
import {
  type SelectableFramework,
  type SelectedArguments,
  type SelectedFile,
  selectTests,
} from './select-tests'

/** The arguments by which a framework runs these tests. Without any, it runs all tests. */
export function planRerun(
  framework: SelectableFramework,
  found: FailedTests,
  folder: string,
): SelectedArguments {
  if (found.unknown !== undefined) return { args: [], note: `${found.unknown}: all tests run.` }
  const tests = [...found.failed, ...found.unrun]
  const projects = [...new Set(tests.map(({ project }) => project))]
  const nodes = [...found.nodes, Number.parseInt(process.versions.node, 10)]
  return selectTests(framework, {
    files: groupByFile(tests, folder),
    projects: projects.includes('') || tests.some(isOfSharedRun) ? undefined : projects,
    nodes: { oldest: Math.min(...nodes), newest: Math.max(...nodes) },
  })
}

/** A run of several projects says of no test which one it is in. */
function isOfSharedRun({ project, file }: FailedTest): boolean {
  return project === file
}

function groupByFile(tests: readonly FailedTest[], folder: string): SelectedFile[] {
  const topDir = listFoldersUpward(folder).find((each) => existsSync(path.join(each, '.git')))
  const files = new Map<string, FailedTest[]>()
  for (const test of tests) files.set(keyOfFile(test), [...(files.get(keyOfFile(test)) ?? []), test])
  return [...files.values()].flatMap((ofFile) => {
    const [file] = ofFile
    if (!file) return []
    const names = ofFile.flatMap(({ name }) => name ?? [])
    return [
      {
        file: file.file,
        path: findFile(file, { folder, topDir }),
        names: names.length < ofFile.length ? undefined : names,
      },
    ]
  })
}

/** The command may run in another folder than the project's root. */
function findFile(
  { file, fileInRepository }: TestFile,
  { folder, topDir }: { folder: string; topDir: string | undefined },
): string | undefined {
  const places = [
    ...(topDir !== undefined && fileInRepository !== undefined ? [path.join(topDir, fileInRepository)] : []),
    path.join(folder, file),
  ]
  return places.find((place) => existsSync(place))
}
