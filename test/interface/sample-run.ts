import type { World } from './world'

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 9, 30, second)).toISOString()

/** A v2 run that says everything which can be said. */
export function createWholeRun(world: World, change: Record<string, unknown> = {}) {
  return {
    outcome: 'FAIL',
    procedure_id: world.procedureId,
    started_at: at(0),
    ended_at: at(30),
    serial_number: world.unique('V2'),
    part_number: 'PN-1',
    revision_number: 'A',
    batch_number: 'BATCH-1',
    procedure_version: '1.2.0',
    operated_by: world.operatorEmail,
    deployment_id: 'deployment-1',
    sub_units: [] as string[],
    docstring: 'What this run was for.',
    phases: [PASSED_PHASE, FAILED_PHASE, { ...FAILED_PHASE, outcome: 'PASS', retry_count: 1 }, SKIPPED_PHASE],
    logs: [
      {
        level: 'WARNING',
        timestamp: at(3),
        message: 'The supply is slow',
        source_file: 'supply.py',
        line_number: 42,
      },
      {
        level: 'ERROR',
        timestamp: at(4),
        message: 'Überspannung ⚡',
        source_file: 'supply.py',
        line_number: 57,
      },
    ],
    metadata: { site: 'Lyon', line: 3, rework: true },
    unit_metadata: { color: 'red', mass: 1.5, sealed: false },
    ...change,
  }
}

const PASSED_PHASE = {
  name: 'Power on',
  outcome: 'PASS',
  started_at: at(0),
  ended_at: at(5),
  docstring: 'Switches the unit on.',
  retry_count: 0,
  measurements: [
    {
      name: 'Voltage',
      outcome: 'PASS',
      measured_value: 3.3,
      units: 'V',
      lower_limit: 3,
      upper_limit: 3.6,
      docstring: 'At the test point.',
    },
    {
      name: 'Firmware',
      outcome: 'PASS',
      measured_value: '1.2.0',
      validators: [
        {
          outcome: 'PASS',
          operator: '==',
          expected_value: '1.2.0',
          expression: 'x == "1.2.0"',
          is_decisive: true,
        },
      ],
    },
    { name: 'LED', outcome: 'PASS', measured_value: true },
    { name: 'Channels', outcome: 'UNSET', measured_value: ['a', 'b'] },
    { name: 'Options', outcome: 'UNSET', measured_value: { mode: 'fast', levels: [1, 2] } },
    { name: 'Nothing', outcome: 'UNSET' },
  ],
}

export const FAILED_PHASE = {
  name: 'Sweep',
  outcome: 'FAIL',
  started_at: at(5),
  ended_at: at(20),
  measurements: [
    {
      name: 'Response',
      outcome: 'FAIL',
      x_axis: { data: [1, 2, 3], units: 'Hz', name: 'Frequency', description: 'Of the generator' },
      y_axis: [
        {
          data: [0.1, 0.2, 0.9],
          units: 'dB',
          name: 'Gain',
          validators: [{ operator: '<=', expected_value: 0.5, outcome: 'FAIL' }],
          aggregations: [{ type: 'max', value: 0.9, unit: 'dB', outcome: 'FAIL' }],
        },
      ],
    },
    {
      name: 'Noise',
      outcome: 'PASS',
      measured_value: 0.02,
      units: 'V',
      aggregations: [
        {
          type: 'mean',
          value: 0.02,
          outcome: 'PASS',
          validators: [{ operator: '<', expected_value: 0.1, outcome: 'PASS' }],
        },
        { type: 'label', value: 'quiet' },
      ],
    },
    {
      name: 'Matrix',
      outcome: 'PASS',
      measured_value: [
        [1, 2],
        [3, 4],
      ],
      units: ['s', 'V'],
    },
  ],
}

const SKIPPED_PHASE = { name: 'Burn-in', outcome: 'SKIP', started_at: at(20), ended_at: at(20) }
