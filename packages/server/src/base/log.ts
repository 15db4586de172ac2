import { KEY_PREFIX } from '@runledger/protocol'
import pino, { type Logger } from 'pino'

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type LogFacts = Readonly<Record<string, string | number | undefined>>

export interface Log {
  error(message: string, cause?: unknown, facts?: LogFacts): void
  warn(message: string, facts?: LogFacts): void
  info(message: string, facts?: LogFacts): void
}

export interface LogSink {
  isTerminal: boolean
  write(line: string): void
}

const STDERR: LogSink = {
  isTerminal: process.stderr.isTTY,
  write: (line) => void process.stderr.write(line),
}

/** Secrets are masked in all lines. */
export function createLog(level: LogLevel, sink: LogSink = STDERR): Log {
  const write = (line: string) => sink.write(maskSecrets(sink.isTerminal ? formatForPeople(line) : line))
  const options = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
  }
  const logger: Logger = pino(options, { write })
  return {
    error: (message, cause, facts) =>
      logger.error(cause === undefined ? facts : { ...facts, error: cause }, message),
    warn: (message, facts) => logger.warn(facts, message),
    info: (message, facts) => logger.info(facts, message),
  }
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(String.raw`\b(${Object.values(KEY_PREFIX).join('|')})[\w-]+`, 'g'), '$1…'],
  // Not the backslash of a quote that JSON escapes.
  [/\b(bearer|basic)\s+(?:[^\s"\\]|\\\\)+/gi, '$1 …'],
  [/\b(signature|code|key|password)=[^&\s"\\]+/gi, '$1=…'],
  // Up to the last @ of the word: a password may contain others.
  [/\b(postgres(?:ql)?:\/\/)[^\s"\\]+@/gi, '$1…@'],
  [/\b(runledger_session\w*)=[^;\s"\\]+/g, '$1=…'],
]

/** Masks API keys, authorization, sessions, sign-in codes and the signatures of addresses. */
export function maskSecrets(text: string): string {
  return SECRETS.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text)
}

/** `09:30:00 error  message  name=value …`, below it the stack. */
function formatForPeople(line: string): string {
  const { time, level, message, error, ...facts } = JSON.parse(line) as Record<string, unknown>
  const shown = Object.entries(facts).map(([name, value]) => `  ${name}=${String(value)}`)
  const stack =
    typeof error === 'object' && error !== null && 'stack' in error ? `\n${String(error.stack)}` : ''
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)}  ${String(message)}${shown.join('')}${stack}\n`
}
