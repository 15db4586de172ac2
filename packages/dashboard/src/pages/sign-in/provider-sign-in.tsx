import { providerSignInAddress } from '../../api/session'
import { buttonClass } from '../../ui/button'
import { KeyForm } from './key-form'
import { Problem } from './problem'

interface ProviderSignInProps {
  /** What the service calls it. */
  provider: string
  problem: string | undefined
  next: string | undefined
  onSignedIn: () => Promise<void>
}

/** People sign in with the accounts that they have; a key still works. */
export function ProviderSignIn({ provider, problem, next, onSignedIn }: ProviderSignInProps) {
  return (
    <div className="mt-4 flex flex-col gap-4">
      <Problem text={problem} />
      <a href={providerSignInAddress(next)} className={`${buttonClass('primary')} min-h-10 w-full`}>
        Sign in with {provider}
      </a>
      <details>
        <summary className="cursor-pointer text-sm text-soft">Sign in with an API key</summary>
        <KeyForm notice={undefined} onSignedIn={onSignedIn} />
      </details>
    </div>
  )
}
