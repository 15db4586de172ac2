import { expect, it } from 'vitest'
import { findMarkdownAddress } from './markdown-address'

it.each([
  ['/', '/home.md'],
  ['/?procedure=p', '/home.md'],
  ['/runs?group=ci-1', '/runs.md?group=ci-1'],
  ['/runs/id', '/runs/id.md'],
  ['/builds?state=failed&branch=main&procedure=p', '/builds.md?states=failed&branches=main&procedure_ids=p'],
  ['/builds/ci%201', '/builds/ci%201.md'],
  ['/builds/ci-1?tab=tests&outcome=failed&q=cart', '/builds/ci-1/tests.md?outcomes=failed&search_query=cart'],
  [
    '/tests?sort=slow&owner=%40team&branch=main&days=30',
    '/tests.md?sort_by=slow&owners=%40team&branch=main&days=30',
  ],
  ['/tests/id?branch=main&environment=linux', '/tests/id.md?branch=main&environment=linux'],
  ['/errors?sort=count&branch=main', '/errors.md?sort_by=count&branches=main'],
  [
    '/compare?base_branch=main&head=ci-1&procedure=p',
    '/compare.md?base_branch=main&head=ci-1&procedure_id=p',
  ],
  ['/units/SN%2F1', '/line/unit.md?serial_number=SN%2F1'],
  ['/units/A+B&C', '/line/unit.md?serial_number=A%2BB%26C'],
  ['/interface', undefined],
  ['/tests/id/more', undefined],
])('leads from %s to %s', (page, address) => {
  expect(findMarkdownAddress(page)).toBe(address)
})
