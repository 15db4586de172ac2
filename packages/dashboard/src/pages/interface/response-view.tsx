import type { TriedResponse } from '../../api/try-request'
import { Badge } from '../../ui/badge'

export function ResponseView({ response }: { response: TriedResponse }) {
  const { status, statusText, durationMs, contentType, text, isCut } = response
  return (
    <div className="flex min-w-0 flex-col gap-2" role="status" aria-label="Answer">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
        <Badge tone={status < 400 ? 'good' : 'bad'} word={`${status} ${statusText}`.trim()} />
        <span className="numeric">{Math.round(durationMs)} ms</span>
        {contentType !== null && <code className="font-mono">{contentType}</code>}
      </p>
      {text === '' ? (
        <p className="text-sm text-soft">The response has no body.</p>
      ) : (
        <pre
          tabIndex={0}
          aria-label="Body of the response"
          className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs"
        >
          {text}
          {isCut && '\n… (the rest is not shown)'}
        </pre>
      )}
    </div>
  )
}
