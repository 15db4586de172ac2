import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { readScripts } from '../manifest'
import { findCiFile, GITHUB_WORKFLOWS } from '../project/find-ci-file'
import type { TestProject } from '../project/find-projects'
import { readFlags } from '../test-calls/read-flags'
import type { TestCall } from '../test-calls/test-call'

const MERGE = 'merge-reports'

/** Finds the script or CI file that merges the blobs of a Playwright command; its tests may be recorded there. */
export function findMerge(call: TestCall, { package: { dir, manifest } }: TestProject): string | undefined {
  const isBlob = call.program.framework === 'Playwright' && readFlags(call).reporters.includes('blob')
  if (!isBlob) return undefined
  const [script] = Object.entries(readScripts(manifest)).find(([, text]) => text.includes(MERGE)) ?? []
  if (script !== undefined) return `the script ${script}`
  const file = listCiFiles(dir).find((each) => readFileSync(each, 'utf8').includes(MERGE))
  return file && path.basename(file)
}

function listCiFiles(dir: string): string[] {
  const workflows = findCiFile(dir, GITHUB_WORKFLOWS)
  const names = workflows === undefined ? [] : readdirSync(workflows).filter((name) => /\.ya?ml$/.test(name))
  const gitlab = findCiFile(dir, '.gitlab-ci.yml')
  return [...names.map((name) => path.join(workflows ?? '', name)), ...(gitlab === undefined ? [] : [gitlab])]
}
