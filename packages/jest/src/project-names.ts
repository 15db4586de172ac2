import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import type { JestGlobalConfig, JestProjectConfig } from './jest-types'

/**
 * Names projects: the display name; else, among several, `project N` after the place in the configuration; the
 * only project of an execution needs no name and has the empty one.
 */
export class ProjectNames {
  constructor(private readonly globalConfig: JestGlobalConfig) {}

  nameOf(config: JestProjectConfig): string {
    return config.displayName?.name ?? this.#nameByPlace(config)
  }

  #nameByPlace(config: JestProjectConfig): string {
    if (this.globalConfig.projects.length < 2) return ''
    const places = this.#findPlaces(config)
    const place = places.length === 1 ? places[0] : places.find((index) => this.#hasIdOf(config, index))
    // Without a place, the id still keeps two projects' runs apart.
    return place === undefined ? `project ${config.id.slice(0, 8)}` : `project ${place + 1}`
  }

  #findPlaces(config: JestProjectConfig): number[] {
    const { projects, rootDir } = this.globalConfig
    return projects.flatMap((project, index) => {
      if (typeof project === 'string') {
        return [project, dirname(project)].includes(config.rootDir) ? [index] : []
      }
      const isNameless = project.displayName === undefined
      return isNameless && resolve(rootDir, project.rootDir ?? '.') === config.rootDir ? [index] : []
    })
  }

  /** Jest's id of a project is a hash of its root, its configuration file if it has one, and its place. */
  #hasIdOf({ id, rootDir }: JestProjectConfig, index: number): boolean {
    const project = this.globalConfig.projects[index]
    const configFile = typeof project === 'string' ? project : ''
    const hash = createHash('sha1').update(rootDir).update(configFile).update(String(index))
    return hash.digest('hex').startsWith(id)
  }
}
