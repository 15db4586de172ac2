import { existsSync } from 'node:fs'
import path from 'node:path'
import { dependsOn } from '../find-frameworks'
import type { TestProject } from '../project/find-projects'
import { writeLine } from '../config-files/reporter-line'
import type { AddOptions } from '../config-files/reporter-list'

/** For a project without a config. */
export function createConfig(
  { framework, configDir: dir, package: { manifest } }: TestProject,
  options: AddOptions,
): { file: string; text: string } {
  const reporters = writeLine(framework, options)
  if (framework.name === 'Jest') {
    const exported = manifest.type === 'module' ? 'export default' : 'module.exports ='
    return { file: path.join(dir, 'jest.config.js'), text: `${exported} { ${reporters} }\n` }
  }
  const isTyped = existsSync(path.join(dir, 'tsconfig.json')) || dependsOn(manifest, 'typescript')
  const isModule = manifest.type === 'module'
  const [name, from, members, typed] =
    framework.name === 'Vitest'
      ? ['vitest.config', 'vitest/config', `test: { ${reporters} }`, isModule ? 'ts' : 'mts']
      : ['playwright.config', '@playwright/test', reporters, 'ts']
  return {
    // A module in every package: Vitest's config cannot be loaded as CommonJS, and Vite warns of it.
    file: path.join(dir, `${name}.${isTyped ? typed : 'mjs'}`),
    text: `import { defineConfig } from '${from}'\n\nexport default defineConfig({ ${members} })\n`,
  }
}
