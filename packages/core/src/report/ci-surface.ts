import type { Environment } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'

/** Where a CI can be told something. */
export interface CiSurface {
  env: Environment
  options: Pick<ResolvedOptions, 'summary' | 'annotations' | 'outputFile' | 'linksFile'>
  /** Writes lines where the CI reads its commands. */
  print: (text: string) => void
}

/** False where there is nothing to write to, which is so on everybody's own machine. */
export function hasPages({ env, options }: CiSurface): boolean {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output, GITHUB_ACTIONS: github, TF_BUILD: azure } = env
  const { outputFile, linksFile } = options
  return [summary, output, github, azure, outputFile, linksFile].some(Boolean)
}
