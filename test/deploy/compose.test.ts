import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findBlock, readBlocks } from '../docs/read-blocks'
import { REPOSITORY } from '../support/repository'
import {
  DEPLOY,
  findInstructions,
  readCompose,
  readDeployFile,
  readDockerfile,
  readVariables,
  resolveVariables,
} from './deploy-files'

const GUIDE = 'docs/postgres-and-s3.md'
const { services, volumes, networks } = readCompose()
const [service, ...otherServices] = Object.keys(services).filter((name) => name.startsWith('service-'))
const { database, store, proxy } = services
const last = readDockerfile().last

/** What the guide writes into .env. */
const given = readVariables(findBlock(readBlocks(GUIDE, 'sh'), 'DATABASE_PASSWORD'))
const ASKED = /\$\{(\w+):\?\}/g
const fillIn = (text: string) =>
  text.replaceAll(ASKED, (_, name: string) => (given[name] ? `value-of-${name}` : ''))

describe('deploy/compose/', () => {
  test('asks for the variables that the guide writes, for each secret, and for nothing else', () => {
    const text = readDeployFile('compose/compose.yaml')
    const asked = new Set([...text.matchAll(ASKED)].map(([, name = '']) => name))
    expect([...asked].toSorted()).toEqual(Object.keys(given).toSorted())
    expect(text.replaceAll(ASKED, '')).not.toContain('$')
    const secrets = Object.values(services).flatMap(({ environment }) =>
      Object.entries(environment).filter(([name]) => /PASSWORD|SECRET|KEY/.test(name)),
    )
    expect(secrets.length).toBeGreaterThan(5)
    for (const [, value] of secrets) expect(value).toMatch(/^\$\{\w+:\?\}$/)
  })

  test('its secrets are in a file that git leaves alone', () => {
    const { status } = spawnSync('git', ['check-ignore', '--quiet', 'deploy/compose/.env'], {
      cwd: REPOSITORY,
    })
    expect(status).toBe(0)
  })

  test('its services know each variable, and find the database and the store there', () => {
    const environment = Object.entries(services[service as string]?.environment ?? {})
    const { config, unknown } = resolveVariables(
      Object.fromEntries(environment.map(([name, value]) => [name, fillIn(value)])),
    )
    expect(unknown).toEqual([])
    const url = new URL(config.database as string)
    expect([url.hostname, url.username, url.pathname]).toEqual([
      'database',
      database?.environment['POSTGRES_USER'],
      `/${database?.environment['POSTGRES_USER']}`,
    ])
    const garage = readDeployFile('compose/garage.toml')
    const [, port] = /^api_bind_addr = ".*:(\d+)"$/m.exec(garage) ?? []
    const [, region] = /^s3_region = "(.*)"$/m.exec(garage) ?? []
    const bucket = store?.environment['GARAGE_DEFAULT_BUCKET']
    expect(config.storage?.address).toMatchObject({
      bucketUrl: `http://store:${port}/${bucket}/`,
      prefix: '',
      region,
    })
    expect(config.publicUrl).toBe('https://value-of-PUBLIC_HOST')
    expect(config.filesOrigin).toBe('https://value-of-files_host')
  })

  test('each service has a data folder of its own, where the image has it, and time to stop', () => {
    expect(otherServices.length).toBeGreaterThan(0)
    const folders = [service as string, ...otherServices].map((name) => {
      const { volumes: mounts = [], stop_grace_period: grace } = services[name] ?? {}
      expect(mounts).toEqual([`${name}:${findInstructions(last, 'VOLUME')[0]}`])
      expect(Number.parseInt(grace ?? '', 10)).toBeGreaterThan(15)
      return mounts[0]
    })
    expect(new Set(folders).size).toBe(folders.length)
  })

  test('the proxy asks all services, for each of its names on a port that the image has', () => {
    const sites = [
      ...readDeployFile('compose/Caddyfile').matchAll(/^\{\$(\w+)\}.*?reverse_proxy (.*?) \{/gms),
    ]
    const ports = findInstructions(last, 'EXPOSE')
    expect(sites.map(([, , upstreams = '']) => upstreams.split(' '))).toEqual(
      ports.map((port) => [service, ...otherServices].map((name) => `${name}:${port}`)),
    )
    expect(Object.keys(proxy?.environment ?? {})).toEqual(sites.map(([, name]) => name))
  })

  test('the proxy reaches neither the database nor the store, and each has a limit of memory', () => {
    const listNetworks = (name: string): string[] => {
      const { networks: own = [] } = services[name] ?? {}
      return Array.isArray(own) ? own : Object.keys(own)
    }
    expect(listNetworks('proxy')).toEqual(['front'])
    for (const name of ['database', 'store']) expect(listNetworks(name)).toEqual(['back'])
    for (const name of [service as string, ...otherServices])
      expect(listNetworks(name)).toEqual(['front', 'back'])
    expect(networks).toEqual({ front: null, back: { internal: true } })
    for (const { mem_limit: limit } of Object.values(services)) expect(limit).toMatch(/^\d+[mg]$/)
  })

  test('everything starts again by itself, on a root file system that is read only, with files that are there', () => {
    for (const { read_only: isReadOnly, restart, build, volumes: mounts } of Object.values(services)) {
      expect([isReadOnly, restart]).toEqual([true, 'always'])
      if (build) expect(existsSync(path.join(DEPLOY, 'compose', build.context, build.dockerfile))).toBe(true)
      for (const [source = ''] of mounts.map((mount) => mount.split(':')))
        expect(
          source.startsWith('./') ? existsSync(path.join(DEPLOY, 'compose', source)) : source in volumes,
        ).toBe(true)
    }
    expect(database?.healthcheck?.test).toContain(database?.environment['POSTGRES_USER'])
    expect(store?.healthcheck).toBeDefined()
  })

  test('docker compose takes it', { tags: ['docker-compose'] }, () => {
    const env = { ...process.env, ...Object.fromEntries(Object.keys(given).map((name) => [name, 'x'])) }
    const options = { cwd: path.join(DEPLOY, 'compose'), env, encoding: 'utf8' } as const
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], options)
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })
})
