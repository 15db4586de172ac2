throw new Error('no power')
