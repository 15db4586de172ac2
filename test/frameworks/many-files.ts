import { Random } from '../support/random'

/** Test files of every kind that prettier's own suite has; `head` begins each of them. */
export function createManyFiles(seed: string, { count = 200, head = '' } = {}): Record<string, string> {
  const random = new Random(seed)
  const names = Array.from({ length: count }, (_, index) => `tests/${index % 20}/file-${index}.test.js`)
  return Object.fromEntries(names.map((name) => [name, head + createFile(random)]))
}

function createFile(random: Random): string {
  if (random.chance(0.04)) return "throw new Error('while it is loaded')\n"
  const tests = Array.from({ length: random.between(1, 12) }, (_, index) => createOneTest(index, random))
  const hook = random.chance(0.06) ? "beforeAll(() => { throw new Error('in a hook') })\n" : ''
  return `${hook}describe('a', () => {\n${tests.join('')}})\ntest.todo('later')\n`
}

function createOneTest(index: number, random: Random): string {
  const title = random.chance(0.1) ? 'same title' : `test ${index}`
  const kind = random.pick(['', '', '', '', '', '.skip'])
  const body = random.chance(0.06) ? 'expect({ a: 1 }).toEqual({ a: 2 })' : 'expect(1).toBe(1)'
  const open = random.chance(0.2) ? `describe('b', () => { ` : ''
  return `${open}test${kind}('${title}', async () => { ${body} })${open && ' })'}\n`
}
