import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLazyReporter } from './runtime'

interface Greeter {
  greet(): string
}

let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-lazy-'))
  const source = `exports.RunledgerReporter = class {
    #name
    constructor(name) { this.#name = name }
    greet() { return 'hello ' + this.#name }
  }`
  writeFileSync(path.join(folder, 'reporter.cjs'), source)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const load = () =>
  createLazyReporter<new (name: string) => Greeter>(pathToFileURL(path.join(folder, 'index.js')).href)

it('a lazy reporter is an instance of the loaded class', () => {
  const Reporter = load()
  const reporter = new Reporter('you')
  expect(reporter.greet()).toBe('hello you')
  expect(reporter).toBeInstanceOf(Reporter)
})

it('a lazy reporter can be extended', () => {
  class Loud extends load() {
    override greet(): string {
      return `${super.greet()}!`
    }
  }
  const reporter = new Loud('you')
  expect(reporter.greet()).toBe('hello you!')
  expect(reporter).toBeInstanceOf(Loud)
})
