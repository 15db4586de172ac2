import { expect } from 'vitest'
import { DEFAULT_SETTINGS, type UpdateSettingsResponse } from '../../../packages/protocol/src/index'
import type { ContractCase } from '../contract-case'

export const SETTINGS_CASES: readonly ContractCase[] = [
  {
    operation: 'getSettings',
    answers: 'ok',
    input: () => ({}),
    check: (answer: object) => expect(answer).toEqual(DEFAULT_SETTINGS),
  },
  {
    operation: 'updateSettings',
    answers: 'ok',
    input: () => ({
      body: {
        'organization.slug': 'acme-lamps',
        'serial_number.pattern': '^(?<part_number>[A-Z]+)-',
        typo: 1,
      },
    }),
    check: async (answer: UpdateSettingsResponse, world) => {
      const { warnings, ...settings } = answer
      expect(warnings).toEqual([expect.stringContaining('"typo" is no setting')])
      expect(settings).toEqual({
        ...DEFAULT_SETTINGS,
        'organization.slug': 'acme-lamps',
        'serial_number.pattern': '^(?<part_number>[A-Z]+)-',
      })
      expect(await world.client.getSettings()).toEqual(settings)
      const back = { 'organization.slug': null, 'serial_number.pattern': null }
      expect(await world.client.updateSettings({ body: back })).toEqual({ ...DEFAULT_SETTINGS, warnings: [] })
    },
  },
  ...[
    ['auto_create.batch', 'yes'],
    ['limits.runs_per_month', -1],
    ['limits.runs_per_month', 1.5],
    ['retention.days', 0],
    ['retention.days', 36_501],
    ['organization.slug', 'Not a slug'],
    ['default_component.number', ' '],
    ['serial_number.pattern', '(?<part_number>['],
    ['serial_number.pattern', '[A-Z]+'],
    ['serial_number.pattern', '(?<part_number>(a?){1000})'],
  ].map(([name, value]) => ({
    operation: 'updateSettings' as const,
    answers: 'BAD_REQUEST' as const,
    when: `${name} is ${value}`,
    input: () => ({ body: { [String(name)]: value } }),
    check: ({ issues }: { issues: unknown[] }) =>
      expect(issues).toEqual([{ path: [name], message: expect.stringMatching(/must .*; received /) }]),
  })),
  {
    operation: 'updateSettings',
    answers: 'ok',
    when: 'procedures have retention of their own',
    input: (world) => ({
      body: { 'retention.days_by_procedure': { contract: 30, [world.procedureId]: null } },
    }),
    check: async (answer: UpdateSettingsResponse, world) => {
      expect(answer['retention.days_by_procedure']).toEqual({ contract: 30, [world.procedureId]: null })
      await world.client.updateSettings({ body: { 'retention.days_by_procedure': null } })
      expect(await world.client.getSettings()).toEqual(DEFAULT_SETTINGS)
    },
  },
  {
    operation: 'updateSettings',
    answers: 'BAD_REQUEST',
    when: 'retention names a procedure that does not exist',
    input: () => ({ body: { 'retention.days_by_procedure': { CONTRCT: 30 } } }),
    check: ({ issues }: { issues: unknown[] }) =>
      expect(issues).toEqual([
        {
          path: ['retention.days_by_procedure', 'CONTRCT'],
          message: expect.stringMatching(
            /must name a procedure that exists.*; received "CONTRCT"/,
          ) as unknown,
        },
      ]),
  },
]
