throw new Error('on load')
