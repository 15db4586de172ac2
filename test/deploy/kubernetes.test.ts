import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Deployment } from 'kubernetes-types/apps/v1'
import type { ConfigMap, Secret, Service } from 'kubernetes-types/core/v1'
import type { Ingress } from 'kubernetes-types/networking/v1'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository'
import { startService } from '../support/service'
import { DEPLOY, findInstructions, readDockerfile, readManifests, resolveVariables } from './deploy-files'

const manifests = readManifests() as {
  ConfigMap: ConfigMap
  Deployment: Deployment
  Service: Service
  PodDisruptionBudget: PodDisruptionBudget
  Ingress: Ingress
  Secret: Secret
}
const pod = manifests.Deployment.spec?.template.spec
const [container] = pod?.containers ?? []
const last = readDockerfile().last

/** Groups and resources that the manifests are of, as a server names them. */
const RESOURCES: Record<string, Record<string, string>> = {
  v1: { configmaps: 'ConfigMap', secrets: 'Secret', services: 'Service' },
  'apps/v1': { deployments: 'Deployment' },
  'policy/v1': { poddisruptionbudgets: 'PodDisruptionBudget' },
  'networking.k8s.io/v1': { ingresses: 'Ingress' },
}

test('every field is one that Kubernetes knows, with a value of its type', () => {
  const sources = Object.values(manifests).map((manifest) => {
    const { apiVersion = '', kind } = manifest
    const group = apiVersion === 'v1' ? 'core/v1' : apiVersion.replace('.k8s.io', '')
    const type = `import('kubernetes-types/${group}').${kind}`
    return `export const made${kind}: ${type} = ${JSON.stringify(manifest, null, 1)}\n`
  })
  // In the repository's folder, where the types are found; nothing is written.
  const file = path.join(REPOSITORY, 'test/deploy/manifests.ts')
  expect(listTypeErrors(file, sources.join(''))).toEqual([])
  const misspelt = sources.join('').replace('readOnlyRootFilesystem', 'readonlyRootFilesystem')
  expect(listTypeErrors(file, misspelt).join()).toContain('readonlyRootFilesystem')
})

test('the service knows each variable, and the secret ones are in the Secret', () => {
  const secrets = Object.keys(manifests.Secret.stringData ?? {})
  expect(secrets).toEqual(['PGPASSWORD', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
  const filledIn = Object.fromEntries(secrets.map((name) => [name, 'x']))
  const given = { ...listServiceLinks(), ...manifests.ConfigMap.data, ...filledIn }
  const { config, unknown } = resolveVariables(given)
  expect(unknown).toEqual([])
  expect(new URL(config.database as string).password).toBe('')
  expect(config.storage?.address.bucketUrl).toBe('https://s3.example.com/runledger/')
  expect(container?.envFrom).toEqual([
    { configMapRef: { name: manifests.ConfigMap.metadata?.name } },
    { secretRef: { name: manifests.Secret.metadata?.name } },
  ])
})

/** The variables that Kubernetes sets in a pod for a Service that is there, unless it is told not to. */
function listServiceLinks(): Record<string, string> {
  if (pod?.enableServiceLinks === false) return {}
  const name = (manifests.Service.metadata?.name ?? '').toUpperCase().replaceAll('-', '_')
  const [port] = manifests.Service.spec?.ports ?? []
  return { [`${name}_SERVICE_HOST`]: '10.96.0.10', [`${name}_PORT`]: `tcp://10.96.0.10:${port?.port}` }
}

test('names, ports, labels and folders go together, and with the image', () => {
  const labels = manifests.Deployment.spec?.template.metadata?.labels
  expect(manifests.Deployment.spec?.selector.matchLabels).toEqual(labels)
  expect(manifests.Service.spec?.selector).toEqual(labels)
  expect(manifests.PodDisruptionBudget.spec?.selector?.matchLabels).toEqual(labels)
  const ports = container?.ports ?? []
  expect(ports.map(({ containerPort }) => String(containerPort))).toEqual(findInstructions(last, 'EXPOSE'))
  const served = manifests.Service.spec?.ports ?? []
  expect(served.map(({ targetPort }) => targetPort)).toEqual(ports.map(({ name }) => name))
  const { rules = [], tls = [] } = manifests.Ingress.spec ?? {}
  const { RUNLEDGER_PUBLIC_URL, RUNLEDGER_FILES_ORIGIN } = manifests.ConfigMap.data ?? {}
  expect(rules.map(({ host }) => `https://${host}`)).toEqual([RUNLEDGER_PUBLIC_URL, RUNLEDGER_FILES_ORIGIN])
  expect(tls.flatMap(({ hosts = [] }) => hosts)).toEqual(rules.map(({ host }) => host))
  expect(rules.flatMap(({ http }) => http?.paths.map(({ backend }) => backend.service))).toEqual(
    served.map(({ name }) => ({ name: manifests.Service.metadata?.name, port: { name } })),
  )
  const { runAsUser, runAsGroup } = pod?.securityContext ?? {}
  expect(`${runAsUser}:${runAsGroup}`).toBe(findInstructions(last, 'USER')[0])
  expect(container?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(findInstructions(last, 'VOLUME'))
})

test('the paths of the probes answer, and the service has time to stop', async () => {
  const service = await startService()
  try {
    const { startupProbe, livenessProbe, readinessProbe } = container ?? {}
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      expect(probe?.httpGet?.port).toBe(container?.ports?.[0]?.name)
      expect((await service.get(probe?.httpGet?.path ?? '')).status).toBe(200)
    }
  } finally {
    await service.stop()
  }
  const [sleep, seconds] = container?.lifecycle?.preStop?.exec?.command ?? []
  expect(sleep).toBe('sleep')
  // It ends by itself within 15 s.
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(seconds) + 15)
})

test('kubectl takes them', { tags: ['kubectl'] }, async () => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'runledger-kubectl-'))
  const api = await startApi()
  try {
    const apply = (file: string) =>
      promisify(execFile)(
        'kubectl',
        ['--server', api.url, 'apply', '--dry-run=client', '--validate=false', '--filename', file],
        { env: { ...process.env, HOME: home, KUBECONFIG: path.join(home, 'none') } },
      )
    const files = ['runledger', 'secret'].map((name) => path.join(DEPLOY, 'kubernetes', `${name}.yaml`))
    const told = await Promise.all(files.map(apply))
    const created = told.flatMap(({ stdout }) => stdout.trim().split('\n'))
    expect(created).toHaveLength(Object.keys(manifests).length)
    for (const line of created) expect(line).toMatch(/^[\w.]+\/runledger created \(dry run\)$/)
    const unknown = path.join(home, 'unknown.yaml')
    await writeFile(unknown, 'apiVersion: apps/v1\nkind: Deploiment\nmetadata: { name: runledger }\n')
    await expect(apply(unknown)).rejects.toThrow('Deploiment')
  } finally {
    await api.stop()
    await rm(home, { recursive: true, force: true })
  }
})

function listTypeErrors(file: string, source: string): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const host = ts.createCompilerHost(options)
  const readFile = host.readFile.bind(host)
  const fileExists = host.fileExists.bind(host)
  const getSourceFile = host.getSourceFile.bind(host)
  Object.assign(host, {
    readFile: (name: string) => (name === file ? source : readFile(name)),
    fileExists: (name: string) => name === file || fileExists(name),
    getSourceFile: (name: string, language: ts.ScriptTarget) =>
      name === file ? ts.createSourceFile(name, source, language) : getSourceFile(name, language),
  })
  const program = ts.createProgram([file], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

interface Api {
  url: string
  stop(): Promise<void>
}

/** What kubectl asks a server for before a dry run: which resources there are, and whether these are there already. */
async function startApi(): Promise<Api> {
  const groups = Object.keys(RESOURCES).filter((group) => group.includes('/'))
  const answers: Record<string, object> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) },
    ...Object.fromEntries(
      Object.keys(RESOURCES).map((group) => [
        group === 'v1' ? '/api/v1' : `/apis/${group}`,
        listResources(group),
      ]),
    ),
  }
  const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }
  const server = createServer((request, response) => {
    const answer = answers[request.url?.split('?', 1)[0] ?? '']
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? missing))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function describeGroup(groupVersion: string): object {
  const [name, version] = groupVersion.split('/')
  return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } }
}

function listResources(groupVersion: string): object {
  const resources = Object.entries(RESOURCES[groupVersion] ?? {}).map(([name, kind]) => ({
    name,
    singularName: kind.toLowerCase(),
    namespaced: true,
    kind,
    verbs: ['create', 'get', 'patch'],
  }))
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }
}
