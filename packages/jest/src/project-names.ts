import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import type { JestGlobalConfig, JestProjectConfig } from './jest-types'

/** The display name; else `project N` by position; a single project has no name. */
export class ProjectNames {
  constructor(private readonly globalConfig: JestGlobalConfig) {}

  nameOf(config: JestProjectConfig): string {
    return config.displayName?.name ?? this.#nameByPosition(config)
  }

  #nameByPosition(config: JestProjectConfig): string {
    if (this.globalConfig.projects.length < 2) return ''
    const positions = this.#findPositions(config)
    const position =
      positions.length === 1 ? positions[0] : positions.find((index) => this.#hasIdOf(config, index))
    // Without a position, the id distinguishes two projects.
    return position === undefined ? `project ${config.id.slice(0, 8)}` : `project ${position + 1}`
  }

  #findPositions(config: JestProjectConfig): number[] {
    const { projects, rootDir } = this.globalConfig
    return projects.flatMap((project, index) => {
      if (typeof project === 'string') {
        return [project, dirname(project)].includes(config.rootDir) ? [index] : []
      }
      const isNameless = project.displayName === undefined
      return isNameless && resolve(rootDir, project.rootDir ?? '.') === config.rootDir ? [index] : []
    })
  }

  /** Jest's project id is a hash of root, configuration file and position. */
  #hasIdOf({ id, rootDir }: JestProjectConfig, index: number): boolean {
    const project = this.globalConfig.projects[index]
    const configFile = typeof project === 'string' ? project : ''
    const hash = createHash('sha1').update(rootDir).update(configFile).update(String(index))
    return hash.digest('hex').startsWith(id)
  }
}
