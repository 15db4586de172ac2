import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { nameVariable, OPTION_TABLE, UNIT_FIELDS } from './option-table'

/** The README's table, which is written from the type. */
const ROWS = new Map(
  readFileSync(path.join(import.meta.dirname, '../../README.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `') && line.includes('`RUNLEDGER_'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map(([, name = '', , , byDefault = '', variables = '']) => [name, { byDefault, variables }]),
)

it('the documentation of each option matches the table of options', () => {
  expect([...ROWS.keys()]).toEqual(Object.keys(OPTION_TABLE).map((name) => `\`${name}\``))
  for (const [name, definition] of Object.entries(OPTION_TABLE)) {
    const { byDefault, variables } = ROWS.get(`\`${name}\``) ?? { byDefault: '', variables: '' }
    const own = nameVariable(name)
    for (const variable of own === undefined ? UNIT_FIELDS.map(nameVariable) : [own])
      expect(variables).toContain(`\`${variable}\``)
    const fallback: unknown = 'fallback' in definition ? definition.fallback : undefined
    if (typeof fallback === 'object' && fallback !== null) expect(byDefault).toBe('none')
    else if (fallback !== undefined) {
      const said = typeof fallback === 'string' ? `'${fallback}'` : JSON.stringify(fallback)
      expect(`${byDefault} `).toContain(`${said} `)
    }
  }
})
