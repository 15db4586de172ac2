import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { resolveServerConfig, type ServerConfig } from '../../packages/server/src/index'
import { REPOSITORY } from '../support/repository'

export const DEPLOY = path.join(REPOSITORY, 'deploy')

export const readDeployFile = (name: string): string => readFileSync(path.join(DEPLOY, name), 'utf8')

export interface ComposeService {
  image: string
  command?: string[]
  build?: { context: string; dockerfile: string }
  environment: Record<string, string>
  volumes: string[]
  healthcheck?: { test: string[] }
  restart: string
  read_only: boolean
  stop_grace_period?: string
  mem_limit?: string
  networks?: string[] | Record<string, unknown>
}

interface Compose {
  services: Record<string, ComposeService>
  volumes: Record<string, null>
  networks: Record<string, { internal?: boolean } | null>
}

export function readCompose(): Compose {
  return parse(readDeployFile('compose/compose.yaml'), { merge: true }) as Compose
}

/** The objects of the manifests, by their kinds. */
export function readManifests(): Record<string, unknown> {
  const documents = ['runledger', 'secret'].flatMap((name) =>
    parseAllDocuments(readDeployFile(`kubernetes/${name}.yaml`)).map(
      (document) => document.toJS() as { kind: string },
    ),
  )
  return Object.fromEntries(documents.map((document) => [document.kind, document]))
}

export interface Instruction {
  name: string
  text: string
}

/** What a Dockerfile says, each instruction on one line; those of its last stage apart. */
export function readDockerfile(): { build: Instruction[]; last: Instruction[] } {
  const text = readDeployFile('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
  const all = [...text.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', rest = '']) => ({
    name,
    text: rest,
  }))
  const start = all.findLastIndex(({ name }) => name === 'FROM')
  return { build: all.slice(0, start), last: all.slice(start) }
}

export const findInstructions = (instructions: readonly Instruction[], name: string): string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ text }) => text)

/** Lines `NAME=value`, without comments. */
export function readVariables(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}

/** What the service makes of variables, and those that it does not read. PGPASSWORD is for the driver of PostgreSQL. */
export function resolveVariables(env: Record<string, string>): { config: ServerConfig; unknown: string[] } {
  const read = new Set(['PGPASSWORD'])
  const watched = new Proxy<NodeJS.ProcessEnv>(env, {
    get: (variables, name) => {
      read.add(String(name))
      return variables[String(name)]
    },
  })
  const config = resolveServerConfig({}, watched)
  return { config, unknown: Object.keys(env).filter((name) => !read.has(name)) }
}
