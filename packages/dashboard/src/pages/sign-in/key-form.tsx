import { DATA_FOLDER, CREDENTIALS_FILE } from '@runledger/protocol'
import { useId, useState, type FormEvent } from 'react'
import { ApiError } from '../../api/api-error'
import { signInWithKey } from '../../api/session'
import { Button } from '../../ui/button'
import { Problem } from './problem'

interface KeyFormProps {
  /** Why the form is shown, when something went wrong before. */
  notice: string | undefined
  onSignedIn: () => Promise<void>
}

/** Asks for an API key once; the service keeps one signed in with a cookie. */
export function KeyForm({ notice, onSignedIn }: KeyFormProps) {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState(notice)
  const [isSending, setIsSending] = useState(false)
  const inputId = useId()
  const hintId = useId()

  const send = async (event: FormEvent) => {
    event.preventDefault()
    setIsSending(true)
    setProblem(undefined)
    try {
      await signInWithKey(key.trim())
      await onSignedIn()
    } catch (error) {
      setProblem(explainKey(error))
      setIsSending(false)
    }
  }

  return (
    <form className="mt-4 flex flex-col gap-3" onSubmit={(event) => void send(event)}>
      <Problem text={problem} />
      <label htmlFor={inputId} className="font-medium">
        API key
      </label>
      <input
        id={inputId}
        type="password"
        required
        autoComplete="current-password"
        spellCheck={false}
        aria-describedby={hintId}
        value={key}
        onChange={({ target }) => setKey(target.value)}
        className="min-h-10 w-full rounded-md border border-soft bg-surface px-3 font-mono text-base"
      />
      <p id={hintId} className="text-sm text-soft">
        On the machine of the service it is in{' '}
        <code className="font-mono">{`${DATA_FOLDER}/${CREDENTIALS_FILE}`}</code> as{' '}
        <code className="font-mono">api_key</code>. There,{' '}
        <code className="font-mono">npx runledger sign-in</code> prints a link that signs you in.
      </p>
      <Button type="submit" look="primary" disabled={isSending}>
        {isSending ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  )
}

function explainKey(error: unknown): string {
  if (error instanceof ApiError && error.statusCode === 401) {
    return 'The service does not know this key, or it is no longer valid.'
  }
  return error instanceof Error ? error.message : 'Signing in failed.'
}
