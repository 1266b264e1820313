"""pytorch/examples time_sequence_prediction: LBFGS, which calls backward some twenty times in one step."""

import torch
from stopwatch_inside import Stopwatch
from torch import nn


class Sequence(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.linear = nn.LSTM(1, 32, batch_first=True), nn.Linear(32, 1)

    def forward(self, x):
        return self.linear(self.lstm(x)[0])


waves = torch.sin(torch.arange(100)[None, :, None] / 8 + torch.randn(40, 1, 1))
model, criterion = Sequence(), nn.MSELoss()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=6)
watch = Stopwatch()
for i in range(20):

    def closure():
        optimizer.zero_grad()
        loss = criterion(model(waves[:, :-1]), waves[:, 1:])
        loss.backward()
        return loss

    optimizer.step(closure)
    watch.iteration()
    if i % 5 == 4:
        with watch.part("evaluation"):
            model.eval()
            with torch.no_grad():
                for _ in range(8):
                    criterion(model(waves[:, :-1]), waves[:, 1:])
            model.train()
watch.write()
