import math

import quarry

# from multiprocessing import Pool
# if __name__ == "__main__":                         (not needed: workers never import the main program)
#     with Pool(2) as pool:
#         values = pool.map(math.sqrt, range(10))
#         future = pool.apply_async(math.factorial, (20,))
with quarry.ProcessExecutor(2) as pool:
    values = list(pool.map(math.sqrt, range(10)))
    future = pool.submit(math.factorial, 20)
    print(sum(values), future.result())
