/** A quantity that the final test measures, and its distribution on good boards. */
export interface Quantity {
  phase: string
  name: string
  unit: string
  low?: number
  high?: number
  mean: number
  deviation: number
  digits: number
}

export const QUANTITIES: readonly Quantity[] = [
  {
    phase: 'Power',
    name: 'supply_3v3',
    unit: 'V',
    low: 3.234,
    high: 3.366,
    mean: 3.3,
    deviation: 0.009,
    digits: 4,
  },
  { phase: 'Power', name: 'idle_current', unit: 'mA', low: 8, high: 14, mean: 11, deviation: 0.8, digits: 2 },
  { phase: 'Power', name: 'sleep_current', unit: 'µA', high: 25, mean: 14, deviation: 2.4, digits: 1 },
  { phase: 'Firmware', name: 'flash_time', unit: 's', high: 12, mean: 8.4, deviation: 0.5, digits: 2 },
  {
    phase: 'Sensors',
    name: 'temperature_offset',
    unit: '°C',
    low: -0.5,
    high: 0.5,
    mean: 0.03,
    deviation: 0.14,
    digits: 3,
  },
  {
    phase: 'Sensors',
    name: 'humidity_gain',
    unit: '',
    low: 0.95,
    high: 1.05,
    mean: 1.002,
    deviation: 0.015,
    digits: 4,
  },
  {
    phase: 'Sensors',
    name: 'pressure',
    unit: 'hPa',
    low: 1008,
    high: 1018,
    mean: 1013,
    deviation: 1.5,
    digits: 2,
  },
  { phase: 'Radio', name: 'rf_power', unit: 'dBm', low: 8, mean: 10.2, deviation: 0.5, digits: 2 },
  {
    phase: 'Radio',
    name: 'frequency_error',
    unit: 'ppm',
    low: -20,
    high: 20,
    mean: 1.5,
    deviation: 5,
    digits: 2,
  },
]

/** Phases in their order, with their usual durations in seconds. */
export const PHASES = [
  ['Power', 6],
  ['Firmware', 14],
  ['Sensors', 21],
  ['Radio', 9],
] as const

export const MODULE_QUANTITIES: readonly Quantity[] = [
  {
    phase: '',
    name: 'supply_current',
    unit: 'mA',
    low: 1.5,
    high: 3.5,
    mean: 2.4,
    deviation: 0.22,
    digits: 3,
  },
  {
    phase: '',
    name: 'reference_voltage',
    unit: 'V',
    low: 1.18,
    high: 1.22,
    mean: 1.2,
    deviation: 0.0055,
    digits: 4,
  },
  { phase: '', name: 'noise', unit: 'µV', high: 30, mean: 17, deviation: 3, digits: 1 },
]

export const LINE = {
  finalTest: { identifier: 'FINAL-TEST', name: 'Final test' },
  moduleTest: { identifier: 'MODULE-TEST', name: 'Module test' },
  board: 'SB-200',
  module: 'SM-10',
  stations: ['Final test 1', 'Final test 2', 'Final test 3', 'Module test'],
  operators: [
    { name: 'Ada Brandt', email: 'ada.brandt@example.com' },
    { name: 'Milan Horvat', email: 'milan.horvat@example.com' },
    { name: 'Sofia Almeida', email: 'sofia.almeida@example.com' },
    { name: 'Yusuf Demir', email: 'yusuf.demir@example.com' },
  ],
  unitsPerDay: 4,
} as const

/** Index of the module test's station in `LINE.stations`. */
export const MODULE_STATION = 3

/** The supply voltage rises from a certain day on and reaches its limit on the last day. */
export const DRIFT = { measurement: 'supply_3v3', at: 0.7, by: 0.058 } as const

/** The batch of one week, whose boards draw too much current. */
export const BAD_BATCH = { measurement: 'idle_current', at: 0.45, by: 3.1 } as const

/** A station that measures lower values than the others. */
export const ODD_STATION = { measurement: 'rf_power', station: 2, by: -1.1 } as const

/** A unit that fails several times before it passes. */
export const RETESTED_UNIT = { measurement: 'pressure', at: 0.85, failures: 4 } as const

/** A passed run with a value outside its limits, which was only recorded. */
export const SOFT_MEASUREMENT = { measurement: 'humidity_gain', at: 0.9, value: 1.0613 } as const

export const GOLDEN_UNIT = 'SB200-GOLDEN'
