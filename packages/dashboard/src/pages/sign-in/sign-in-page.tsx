import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { ApiError } from '../../api/api-error'
import { readSignInProvider, signInWithCode } from '../../api/session'
import { signInLink } from '../../links'
import { Loading } from '../../ui/loading'
import { describeFailure } from './describe-failure'
import { KeyForm } from './key-form'
import { ProviderSignIn } from './provider-sign-in'
import { PageTitle } from '../../ui/page-title'

export function SignInPage() {
  const { code, next, failed } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const provider = readSignInProvider()
  const [problem, setProblem] = useState(failed && describeFailure(failed))
  const [pendingCode, setPendingCode] = useState(code)

  const goOn = useCallback(async () => {
    queryClient.clear()
    await navigate({ href: next ?? '/', replace: true })
  }, [navigate, next, queryClient])

  useEffect(() => {
    if (pendingCode === undefined) return
    // Out of the address bar and the history before anything else: it must not be copied or bookmarked.
    void navigate({ ...signInLink(next), replace: true })
    signInWithCode(pendingCode).then(goOn, (error: unknown) => {
      setProblem(explainCode(error))
      setPendingCode(undefined)
    })
  }, [goOn, navigate, next, pendingCode])

  return (
    <div className="mx-auto mt-6 max-w-md rounded-lg border border-line bg-surface p-6">
      <PageTitle text="Sign in" />
      <h1 className="text-xl font-semibold">Sign in</h1>
      {pendingCode !== undefined ? (
        <Loading label="Signing in" rows={2} />
      ) : provider === undefined ? (
        <KeyForm notice={problem} onSignedIn={goOn} />
      ) : (
        <ProviderSignIn provider={provider} problem={problem} next={next} onSignedIn={goOn} />
      )}
    </div>
  )
}

function explainCode(error: unknown): string {
  if (error instanceof ApiError && error.statusCode < 500 && error.statusCode !== 429) {
    return 'This sign-in link was used already or has expired: a link works once, for 15 minutes. Sign in with an API key, or get a new link: npx runledger sign-in.'
  }
  return error instanceof Error ? error.message : 'Signing in failed.'
}
