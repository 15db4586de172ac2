export interface Finding {
  /** What was looked at: `address`, `key`, `spool`, … */
  check: string
  status: 'ok' | 'fault' | 'not checked'
  /** What is wrong, for programs; stays the same between versions. */
  code?: string
  message: string
  fix?: string
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })
export const notChecked = (check: string, message: string): Finding => ({
  check,
  status: 'not checked',
  message,
})

export interface Fault {
  code: string
  message: string
  fix: string
}

export function fault(check: string, { code, message, fix }: Fault): Finding {
  return { check, status: 'fault', code, message, fix }
}
