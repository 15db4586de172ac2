import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { REPOSITORY } from '../support/repository'

interface Manifest {
  name: string
  private?: boolean
}

const list = (folder: string) => readdirSync(path.join(REPOSITORY, folder))
const read = (...file: string[]) => readFileSync(path.join(REPOSITORY, ...file), 'utf8')

it('changesets name packages of this repository that users install', () => {
  const manifests = list('packages').map(
    (name) => JSON.parse(read('packages', name, 'package.json')) as Manifest,
  )
  const published = manifests.filter((manifest) => !manifest.private).map(({ name }) => name)
  const named = list('.changeset')
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => [...read('.changeset', file).matchAll(/^['"]?([@\w/-]+)['"]?: \w+$/gm)])
  expect(named.length).toBeGreaterThan(0)
  expect(named.map(([, name]) => name).filter((name) => !published.includes(name ?? ''))).toEqual([])
})
