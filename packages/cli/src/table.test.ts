import { describe, expect, it } from 'vitest'
import { formatTable } from './table'

const HEADS = ['Run', 'Test', 'Why']

describe('formatTable', () => {
  it('cuts the widest columns until a row fits into the terminal', () => {
    const table = formatTable(HEADS, [['1', 'n'.repeat(60), 'w'.repeat(40)]], 40)
    expect(table.split('\n')).toEqual([
      `Run  Test${' '.repeat(14)}Why`,
      `1    ${'n'.repeat(15)}…  ${'w'.repeat(16)}…`,
    ])
  })

  it('cuts nothing without a terminal, and never below a readable width', () => {
    expect(formatTable(HEADS, [['1', 'n'.repeat(60), 'why']])).toContain('n'.repeat(60))
    expect(formatTable(HEADS, [['1', 'n'.repeat(60), 'why']], 5)).toContain(`${'n'.repeat(11)}…`)
  })

  it('counts wide characters as two, and cuts none in half', () => {
    const rows = [
      ['1', '日本語', 'a'],
      ['2', '👩‍👩‍👧 family', 'b'],
      ['3', 'é', 'c'],
    ]
    const lines = formatTable(HEADS, rows).split('\n')
    expect(lines[1]).toBe('1    日本語     a')
    expect(lines[2]).toBe('2    👩‍👩‍👧 family  b')
    expect(formatTable(HEADS, [['1', '日本語テストは長い', 'x']], 22).split('\n')[1]).toBe(
      '1    日本語テス…   x',
    )
  })

  it('lets no cell move the cursor or begin a line', () => {
    expect(formatTable(HEADS, [['1', '\u001b[31mred\u001b[0m\nline', '\u202eback']])).toBe(
      'Run  Test      Why\n1    red line  back',
    )
  })
})
